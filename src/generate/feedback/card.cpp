#include <algorithm>
#include <cmath>
#include <cstdio>

#include "generate/feedback/hints.h"
#include "generate/prompt/fence.h"
#include "kvgen/generate/feedback.h"

namespace kvgen {
namespace {

using generate::fenced;
using generate::hint_for;
using generate::one_line;

constexpr std::size_t kMostElements = 3;
constexpr std::size_t kReason = 600;
constexpr std::size_t kDiagnosticLines = 40;
constexpr std::size_t kDiagnosticBytes = 4000;

// Enough to see a pattern, too little to pass as an answer.
std::string rounded(const Json& item, const char* key) {
  const auto value = item.find(key);
  const auto special = item.find(std::string(key) + "_is");
  if (special != item.end() && special->is_string()) return special->get<std::string>();
  if (value == item.end() || !value->is_number()) return "?";
  char text[32];
  std::snprintf(text, sizeof text, "%.1e", value->get<double>());
  return text;
}

const TensorSpec* output_named(const Task& task, const std::string& name) {
  if (task.variants.empty()) return nullptr;
  for (const GraphOutput& output : task.variants.front().graph.outputs) {
    if (output.spec.name == name) return &output.spec;
  }
  return nullptr;
}

std::string text_at(const Json& detail, const char* key) {
  const auto found = detail.find(key);
  if (found == detail.end() || found->is_null()) return "";
  return found->is_string() ? found->get<std::string>() : to_line(*found);
}

std::string count_text(const Json& detail) {
  const std::string kind = detail.contains("unwritten") ? "unwritten" : "wrong";
  const std::string count = text_at(detail, kind.c_str());
  if (count.empty()) return "";
  return count + " of " + text_at(detail, "of") + " elements of " + text_at(detail, "output") +
         " are " + kind;
}

// The judge's own sentence holds values of secret inputs: said again without them.
std::string reason_of(const Outcome& outcome) {
  const std::string count = count_text(outcome.detail);
  if (outcome.stage != Stage::kJudge || count.empty()) return one_line(outcome.reason, kReason);
  const std::string pattern = text_at(outcome.detail, "pattern");
  return count + (pattern.empty() ? "" : " (pattern: " + pattern + ")");
}

void add_places(std::string& text, const Json& detail) {
  constexpr const char* kShown[] = {"place",  "suggestion", "kernel",   "line",  "other_line",
                                    "tensor", "element",    "elements", "block", "thread",
                                    "access", "variant",    "target"};
  for (const char* key : kShown) {
    const std::string value = text_at(detail, key);
    if (!value.empty()) text += std::string("- ") + key + ": " + one_line(value, 200) + "\n";
  }
}

void add_elements(std::string& text, const Task& task, const Outcome& outcome) {
  const auto first = outcome.detail.find("first");
  if (first == outcome.detail.end() || !first->is_array()) return;
  const TensorSpec* output = output_named(task, text_at(outcome.detail, "output"));
  const bool shown = output != nullptr && is_floating(output->dtype);
  std::size_t count = 0;
  for (const Json& item : *first) {
    if (!item.is_object() || count++ == kMostElements) break;
    text += "- at " + to_line(item.value("index", Json()));
    if (shown) {
      text +=
          ": expected about " + rounded(item, "expected") + ", got about " + rounded(item, "got");
    }
    text += "\n";
  }
}

std::string head_of(const std::string& diagnostics) {
  std::size_t end = 0;
  for (std::size_t lines = 0; lines < kDiagnosticLines && end < diagnostics.size(); ++lines) {
    end = std::min(diagnostics.find('\n', end), diagnostics.size() - 1) + 1;
  }
  return diagnostics.substr(0, std::min(end, kDiagnosticBytes));
}

void add_diagnostics(std::string& text, const Attempt& attempt) {
  for (const Build& build : attempt.builds) {
    if (!build.failure || build.diagnostics.empty()) continue;
    text +=
        "The compiler for " + build.target + " says:\n" + fenced("", head_of(build.diagnostics));
    return;
  }
}

}  // namespace

Json feedback_card(const Task& task, const Attempt& attempt) {
  const Outcome& outcome = attempt.outcome;
  std::string text = "Outcome: " + std::string(to_string(outcome.kind)) + ", at the stage " +
                     std::string(to_string(outcome.stage)) + ".\n" + reason_of(outcome) + "\n";
  if (!outcome.verified()) {
    add_places(text, outcome.detail);
    add_elements(text, task, outcome);
    add_diagnostics(text, attempt);
    const std::string hint = hint_for(outcome);
    if (!hint.empty()) text += "Hint: " + hint + "\n";
  }
  if (attempt.candidate) {
    std::size_t count = 0;
    for (const std::string& remark : attempt.candidate->remarks) {
      if (count++ == 8) break;
      text += "Note: " + one_line(remark, 200) + "\n";
    }
  }
  return {{"card", kCardVersion},
          {"outcome", to_string(outcome.kind)},
          {"stage", to_string(outcome.stage)},
          {"text", text}};
}

}  // namespace kvgen
