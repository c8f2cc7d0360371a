#include "report.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "text.h"

namespace kvgen::tools {
namespace {

constexpr std::size_t kRows = 60;  // a longer table is shortened
constexpr std::size_t kRowsOfEach = 12;
constexpr std::size_t kExamples = 2;

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

std::string row_text(const TaskResult& result) {
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
  return cut(std::move(text));
}

std::string counts_text(const std::vector<TaskResult>& results) {
  std::map<std::string, std::size_t> counts;
  for (const TaskResult& result : results) ++counts[outcome_text(result)];
  std::vector<std::pair<std::string, std::size_t>> rows(counts.begin(), counts.end());
  std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return std::tie(b.second, a.first) < std::tie(a.second, b.first);
  });
  std::string out = format("%-18s  %8s\n", "outcome", "tasks");
  for (const auto& [outcome, count] : rows) {
    out += format("%-18s  %8zu\n", outcome.c_str(), count);
  }
  return out + "\n";
}

double speedup_of(const TaskResult& result) {
  const Attempt* best = result.best();
  return best != nullptr && best->profile ? best->profile->speedup.value_or(0) : 0;
}

// The rows that somebody would look for first.
std::vector<const TaskResult*> telling(const std::vector<TaskResult>& results) {
  std::vector<const TaskResult*> verified;
  std::vector<const TaskResult*> ours;  // what kvgen could not finish or judge
  std::map<std::string, std::vector<const TaskResult*>> faults;
  for (const TaskResult& result : results) {
    const Attempt* best = result.best();
    if (result.error || best == nullptr || best->outcome.kind == OutcomeKind::kNotJudgedHere) {
      if (ours.size() < kRowsOfEach) ours.push_back(&result);
    } else if (best->outcome.verified()) {
      verified.push_back(&result);
    } else if (auto& some = faults[outcome_text(result)]; some.size() < kExamples) {
      some.push_back(&result);
    }
  }
  std::sort(verified.begin(), verified.end(), [](const TaskResult* a, const TaskResult* b) {
    return std::pair(-speedup_of(*a), a->name) < std::pair(-speedup_of(*b), b->name);
  });
  verified.resize(std::min(verified.size(), kRowsOfEach));
  std::vector<const TaskResult*> rows = std::move(verified);
  rows.insert(rows.end(), ours.begin(), ours.end());
  for (const auto& [outcome, some] : faults) rows.insert(rows.end(), some.begin(), some.end());
  return rows;
}

}  // namespace

Tally tally(const std::vector<TaskResult>& results) {
  Tally count;
  for (const TaskResult& result : results) {
    const Attempt* best = result.best();
    if (result.left) {
      ++count.left;
    } else if (best == nullptr || result.error ||
               best->outcome.kind == OutcomeKind::kNotJudgedHere) {
      ++count.not_judged;
    } else if (best->outcome.verified()) {
      ++count.verified;
    } else {
      ++count.rejected;
    }
  }
  return count;
}

std::string results_table(const std::vector<TaskResult>& results, const std::string& run) {
  std::string out;
  std::vector<const TaskResult*> rows;
  if (results.size() > kRows) {
    out = counts_text(results);
    rows = telling(results);
  } else {
    for (const TaskResult& result : results) rows.push_back(&result);
  }
  out += format("%-22s  %-18s", "task", "outcome") + "time      eager     speedup\n";
  for (const TaskResult* row : rows) out += row_text(*row) + "\n";
  if (rows.size() < results.size()) {
    out += "... " + std::to_string(results.size() - rows.size()) +
           " tasks more: the same command with --json, or " + run + "/shards\n";
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

}  // namespace kvgen::tools
