#include "generate/feedback/hints.h"

#include <map>
#include <string_view>

namespace kvgen::generate {
namespace {

// How wrong elements lie; the names are the referee's (src/referee/pattern.cpp).
std::string hint_for_pattern(const Json& detail) {
  static const std::map<std::string_view, const char*> kHints = {
      {"all_zero",
       "Nothing of the result arrives: check the grid, the bounds and where the kernel "
       "stores."},
      {"constant", "One value everywhere: check the index that each thread stores to."},
      {"nan",
       "NaN comes from reading what was never written, from inf - inf, or from 0/0; "
       "subtract the row's maximum before exp and start sums at 0."},
      {"zero_parts", "Parts were left at 0: check that the loop or the grid covers them."},
      {"sign", "Only the sign is wrong."},
      {"scaled",
       "A constant factor: check the scale, the count of a mean, or what is added twice."},
      {"transposed",
       "The last two dimensions are stored in swapped order: swap them in the index."},
      {"tail_only",
       "Only the end is wrong: check the last, partial block and every bound that "
       "assumes a multiple of the block or of the vector width."},
      {"last_row", "Only the last row is wrong: check the upper bound of the rows."},
      {"last_column", "Only the end of each row is wrong: check what is left over of the row."},
      {"everywhere",
       "Nearly everything is wrong: check which tensor goes to which parameter and "
       "the index arithmetic of the whole kernel."},
  };
  const auto pattern = detail.find("pattern");
  if (pattern == detail.end() || !pattern->is_string()) return "";
  const auto found = kHints.find(pattern->get_ref<const std::string&>());
  return found == kHints.end() ? "" : found->second;
}

}  // namespace

std::string hint_for(const Outcome& outcome) {
  switch (outcome.kind) {
    case OutcomeKind::kNoCandidate:
      return "End the answer with exactly two complete fenced blocks: one labelled hip, one "
             "labelled json with \"plan\": 1. Keep thoughts short enough that both fit.";
    case OutcomeKind::kBadPlan:
      return "The plan is checked before anything runs. Use only the names that the task lists, "
             "one argument for each parameter of the kernel, and const for what is only read.";
    case OutcomeKind::kCompileError:
      return "Mend what the compiler names first; later errors often follow from it. The usual "
             "headers are there already, and other ones are not.";
    case OutcomeKind::kLaunchError:
      return "At most 1,024 threads a block and 64 KB of shared memory, static and dynamic "
             "together.";
    case OutcomeKind::kCrash:
      return "A wild address: check every index against the size of the tensor it goes to.";
    case OutcomeKind::kTimeout:
      return "Look for a loop that does not end, or threads of a block that wait for each other "
             "on different paths.";
    case OutcomeKind::kOutOfBounds:
      return "Guard the access with the tensor's size; the last block is usually partial.";
    case OutcomeKind::kDataRace:
      return "Two threads touch the same place and one writes: put __syncthreads() between them, "
             "or use atomics.";
    case OutcomeKind::kBarrierDivergence:
      return "__syncthreads() must be reached by every thread of the block: do not return early "
             "and do not put it under a condition that differs between threads.";
    case OutcomeKind::kUninitialisedRead:
      return "Buffers, outputs and shared memory start as garbage: fill them first.";
    case OutcomeKind::kUnwrittenOutput:
      return "Every element of every output must be written. An output that is added to must be "
             "filled with 0 by the plan first.";
    case OutcomeKind::kMutatedInput:
      return "Inputs, parameters and buffers of the module are read only; write to outputs or to "
             "buffers of the plan.";
    case OutcomeKind::kWrongOutput: {
      const std::string hint = hint_for_pattern(outcome.detail);
      return hint.empty() ? "Compare the arithmetic with the graph step by step: dimensions, "
                            "strides, constants, and the order of operations."
                          : hint;
    }
    case OutcomeKind::kNondeterministic:
      return "The result depends on the order of threads: a barrier is missing, or two blocks "
             "write the same element.";
    case OutcomeKind::kCheating:
      return "The same text must be compiled for every target; no preprocessor condition may ask "
             "for the target.";
    case OutcomeKind::kVerified:
    case OutcomeKind::kNotJudgedHere:
      return "";
  }
  return "";
}

}  // namespace kvgen::generate
