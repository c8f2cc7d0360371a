#include "report.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace kvgen::tools {
namespace {

constexpr std::size_t kWidth = 80;

template <class... Values>
std::string format(const char* pattern, Values... values) {
  std::array<char, 256> text{};
  std::snprintf(text.data(), text.size(), pattern, values...);
  return text.data();
}

std::string outcome_text(const TaskResult& result) {
  if (result.refused) return "refused";
  if (result.error) return "error";
  const Attempt* best = result.best();
  return best == nullptr ? "not tried" : std::string(to_string(best->outcome.kind));
}

std::string reason_text(const TaskResult& result) {
  if (result.refused) return *result.refused;
  if (result.error) return result.error->message();
  const Attempt* best = result.best();
  return best == nullptr || best->outcome.verified() ? "" : best->outcome.reason;
}

std::string speedup_text(const Profile& profile) {
  if (!profile.speedup) return "no clear difference";
  return format("%.2fx on %s", *profile.speedup, profile.variant.c_str());
}

std::string cut(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  while (!text.empty() && text.back() == ' ') text.pop_back();
  if (text.size() > kWidth) text = text.substr(0, kWidth - 3) + "...";
  return text;
}

std::string wrapped(const std::string& text, std::size_t indent, std::size_t width) {
  std::string out;
  std::size_t column = indent;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::size_t length = end - at;
    if (column > indent && column + 1 + length > width) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      out += ' ';
      ++column;
    }
    out += text.substr(at, length);
    column += length;
    at = end + 1;
  }
  return out;
}

void line(std::string& out, std::string_view label, const std::string& text) {
  out += format("  %-10s ", std::string(label).c_str()) + wrapped(text, 13, kWidth) + "\n";
}

void explain_builds(std::string& out, const Attempt& attempt) {
  for (const Build& build : attempt.builds) {
    std::string text = build.target + ": ";
    if (build.failure) {
      text += std::string(to_string(build.failure->kind)) + ", " + build.failure->reason;
    } else {
      text += "compiled by " + build.compiler + " " + build.compiler_version;
    }
    line(out, "build", text);
    for (const KernelInfo& kernel : build.kernels) {
      if (!kernel.facts) continue;
      const KernelFacts& facts = *kernel.facts;
      line(out, "",
           kernel.expression + ": " +
               format("%d VGPRs, %d SGPRs, %d spilled, %d B LDS, %d B scratch", facts.vgprs,
                      facts.sgprs, facts.vgpr_spills + facts.sgpr_spills, facts.lds_bytes,
                      facts.scratch_bytes));
    }
  }
}

void explain_cases(std::string& out, const Attempt& attempt) {
  if (!attempt.verdict) return;
  for (const CaseVerdict& one : attempt.verdict->cases) {
    line(out, "case",
         one.variant + ", " + one.distribution + ": " +
             format("%s, worst error %.3g of the limit", one.within ? "within" : "outside",
                    one.worst_ratio) +
             (one.allclose_1e2 && !one.within ? " (allclose at 1e-2 would have accepted it)" : ""));
  }
  if (!attempt.verdict->repeatable && attempt.outcome.verified()) {
    line(out, "note", "not bitwise repeatable: floating-point atomics add in any order");
  }
}

void explain_detail(std::string& out, const Json& detail) {
  const auto first = detail.find("first");
  if (first != detail.end() && first->is_array()) {
    for (const Json& item : *first) {
      if (!item.is_object()) continue;
      line(out, "at",
           to_line(item.value("index", Json())) + ": expected " +
               to_line(item.value("expected", Json())) + ", got " +
               to_line(item.value("got", Json())));
    }
  }
  for (const char* key : {"suggestion", "place", "output", "variant", "target"}) {
    const auto value = detail.find(key);
    if (value != detail.end() && value->is_string() && !value->get<std::string>().empty()) {
      line(out, key, value->get<std::string>());
    }
  }
}

}  // namespace

std::string time_text(double ns) {
  constexpr std::array<const char*, 4> kUnits = {"ns", "us", "ms", "s"};
  std::size_t unit = 0;
  while (ns >= 999.5 && unit + 1 < kUnits.size()) {
    ns /= 1000;
    ++unit;
  }
  const int decimals = ns < 9.995 ? 2 : ns < 99.95 ? 1 : 0;
  return format("%.*f %s", decimals, ns, kUnits[unit]);
}

Tally tally(const std::vector<TaskResult>& results) {
  Tally count;
  for (const TaskResult& result : results) {
    const Attempt* best = result.best();
    if (best == nullptr || result.error || best->outcome.kind == OutcomeKind::kNotJudgedHere) {
      ++count.not_judged;
    } else if (best->outcome.verified()) {
      ++count.verified;
    } else {
      ++count.rejected;
    }
  }
  return count;
}

std::string results_table(const std::vector<TaskResult>& results) {
  std::string out = format("%-22s  %-18s", "task", "outcome") + "time      eager     speedup\n";
  for (const TaskResult& result : results) {
    const Attempt* best = result.best();
    std::string text =
        format("%-22s  %-18s", result.name.substr(0, 22).c_str(), outcome_text(result).c_str());
    if (best == nullptr || !best->outcome.verified()) {
      text += reason_text(result);
    } else if (best->profile) {
      text += format("%-10s%-10s", time_text(best->profile->candidate.median).c_str(),
                     time_text(best->profile->reference.median).c_str()) +
              speedup_text(*best->profile);
    } else {
      text += "not timed";
    }
    out += cut(std::move(text)) + "\n";
  }
  return out;
}

Json results_json(const std::vector<TaskResult>& results) {
  Json list = Json::array();
  for (const TaskResult& result : results) {
    const Attempt* best = result.best();
    Json row = {{"task", result.name}, {"hash", result.hash}, {"attempts", result.attempts.size()}};
    row["outcome"] = best == nullptr ? Json(nullptr) : to_json(best->outcome);
    row["candidate"] =
        best != nullptr && best->candidate ? Json(best->candidate->hash) : Json(nullptr);
    row["refused"] = result.refused ? Json(*result.refused) : Json(nullptr);
    row["error"] = result.error ? Json(result.error->message()) : Json(nullptr);
    row["median_ns"] = nullptr;
    row["speedup"] = nullptr;
    row["timed_variant"] = nullptr;
    if (best != nullptr && best->profile) {
      row["median_ns"] = best->profile->candidate.median;
      row["timed_variant"] = best->profile->variant;
      if (best->profile->speedup) row["speedup"] = *best->profile->speedup;
    }
    list.push_back(std::move(row));
  }
  return list;
}

std::string explain(const Task& task, const Attempt& attempt) {
  std::string out = task.name + ": " + std::string(to_string(attempt.outcome.kind)) + "\n";
  line(out, "why", attempt.outcome.reason);
  explain_detail(out, attempt.outcome.detail);
  if (attempt.candidate) {
    line(out, "candidate", attempt.candidate->hash.substr(0, 16));
    for (const std::string& remark : attempt.candidate->remarks) line(out, "note", remark);
  }
  explain_builds(out, attempt);
  explain_cases(out, attempt);
  for (const Build& build : attempt.builds) {
    if (!build.failure || build.diagnostics.empty()) continue;
    out += "\n" + build.diagnostics;
    if (!build.diagnostics.ends_with('\n')) out += '\n';
    break;
  }
  if (attempt.profile) {
    const Profile& profile = *attempt.profile;
    line(out, "time",
         time_text(profile.candidate.median) + " against " + time_text(profile.reference.median) +
             " of " + profile.baseline + " (" + profile.variant + ", " + profile.cache + ", " +
             profile.timed_on + ")");
    line(out, "speedup", speedup_text(profile));
  }
  return out;
}

}  // namespace kvgen::tools
