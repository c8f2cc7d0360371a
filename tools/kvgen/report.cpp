#include "report.h"

#include <algorithm>

#include "text.h"

namespace kvgen::tools {
namespace {

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

}  // namespace kvgen::tools
