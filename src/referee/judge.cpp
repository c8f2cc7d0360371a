#include "referee/judge.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "kvgen/base/hash.h"
#include "referee/compare.h"
#include "referee/poison.h"

namespace kvgen::referee {
namespace {

std::string text_of(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.7g", value);
  return text;
}

double element_of(const ExpectedOutput& expected, std::span<const std::byte> data,
                  std::int64_t index) {
  const auto width = static_cast<std::size_t>(size_of(expected.spec.dtype));
  return numbers(expected.spec.dtype,
                 data.subspan(static_cast<std::size_t>(index) * width, width))[0];
}

double wanted_of(const ExpectedOutput& expected, std::int64_t index) {
  const auto i = static_cast<std::size_t>(index);
  return expected.floating() ? expected.values[i] : static_cast<double>(expected.integers[i]);
}

// A number, or null beside "NAME_is": "nan".
void put(Json& json, const std::string& name, double value) {
  json[name] = finite_or_null(value);
  if (!std::isfinite(value)) {
    json[name + "_is"] = std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
  }
}

Json shown(const ExpectedOutput& expected, std::span<const std::byte> data,
           const std::vector<std::int64_t>& indices) {
  Json list = Json::array();
  for (const std::int64_t index : indices) {
    Json item = {{"index", index_of(index, expected.spec.shape)}};
    put(item, "expected", wanted_of(expected, index));
    put(item, "got", element_of(expected, data, index));
    if (expected.floating()) {
      put(item, "limit", expected.limits[static_cast<std::size_t>(index)]);
    }
    list.push_back(std::move(item));
  }
  return list;
}

Outcome out_of_bounds(const Arena& outputs, const BrokenGuard& broken) {
  const TensorSpec& spec = outputs.layout().tensors[broken.tensor].spec;
  const bool past = broken.bytes_past_end > 0;
  const std::int64_t distance = std::abs(broken.bytes_past_end);
  return {OutcomeKind::kOutOfBounds,
          Stage::kJudge,
          "wrote outside of " + spec.name + " " + to_text(spec.shape) + ": " +
              std::to_string(broken.count) + " bytes changed, the first " +
              std::to_string(distance) + " bytes " + (past ? "past its end" : "before its start"),
          {{"tensor", spec.name},
           {"bytes", broken.count},
           {"past_end", past},
           {"distance_bytes", distance}}};
}

Outcome unwritten(const ExpectedOutput& expected, std::span<const std::byte> data,
                  const Comparison& seen) {
  const Shape first = index_of(seen.first_unwritten.front(), expected.spec.shape);
  // A NaN or a huge number is the same after something small is added to it.
  const char* how = expected.floating() ? " elements were never written, or added to without a "
                                          "fill, the first at "
                                        : " elements were never written, the first at ";
  return {OutcomeKind::kUnwrittenOutput,
          Stage::kJudge,
          expected.spec.name + ": " + std::to_string(seen.unwritten) + " of " +
              std::to_string(seen.of) + how + to_text(first) +
              "; check that the grid covers the whole output",
          {{"output", expected.spec.name},
           {"unwritten", seen.unwritten},
           {"wrong", seen.wrong},
           {"of", seen.of},
           {"first", shown(expected, data, seen.first_unwritten)},
           {"pattern", pattern_of(expected, data).name}}};
}

Outcome wrong_output(const ExpectedOutput& expected, std::span<const std::byte> data,
                     const Comparison& seen) {
  const Pattern pattern = pattern_of(expected, data);
  const std::int64_t first = seen.first.front();
  return {OutcomeKind::kWrongOutput,
          Stage::kJudge,
          expected.spec.name + ": " + std::to_string(seen.wrong) + " of " +
              std::to_string(seen.of) + " elements are wrong (" + pattern.meaning + "); at " +
              to_text(index_of(first, expected.spec.shape)) + " expected " +
              text_of(wanted_of(expected, first)) + ", got " +
              text_of(element_of(expected, data, first)),
          {{"output", expected.spec.name},
           {"wrong", seen.wrong},
           {"of", seen.of},
           {"first", shown(expected, data, seen.first)},
           {"pattern", pattern.name}}};
}

}  // namespace

JudgeAnswer judge(const Reference& reference, const Arena& outputs, std::uint64_t poison_seed) {
  JudgeAnswer answer;
  CaseVerdict& verdict = answer.verdict;
  verdict.within = verdict.allclose_1e2 = verdict.allclose_1e4 = true;
  std::optional<Outcome> failure;
  if (const auto broken = broken_guard(outputs, poison_seed)) {
    failure = out_of_bounds(outputs, *broken);
  }
  std::string digests;
  const auto& expected = reference.expected();
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const auto data = outputs.data(outputs.layout().tensors[i]);
    digests += sha256({reinterpret_cast<const char*>(data.data()), data.size()});
    const Comparison seen = compare(expected[i], data, Poison(poison_seed, i));
    verdict.worst_ratio = std::max(verdict.worst_ratio, seen.worst_ratio);
    verdict.median_ratio = std::max(verdict.median_ratio, seen.median_ratio);
    verdict.max_abs_error = std::max(verdict.max_abs_error, seen.max_abs_error);
    verdict.allclose_1e2 = verdict.allclose_1e2 && seen.allclose_1e2;
    verdict.allclose_1e4 = verdict.allclose_1e4 && seen.allclose_1e4;
    if (seen.wrong == 0) continue;
    verdict.within = false;
    if (failure) continue;
    failure = seen.unwritten > 0 ? unwritten(expected[i], data, seen)
                                 : wrong_output(expected[i], data, seen);
  }
  verdict.output_digest = sha256(digests);
  verdict.within = verdict.within && !failure;
  answer.outcome = failure.value_or(
      Outcome{OutcomeKind::kVerified, Stage::kJudge,
              "every element is within " + text_of(verdict.worst_ratio) + " of its limit"});
  return answer;
}

}  // namespace kvgen::referee
