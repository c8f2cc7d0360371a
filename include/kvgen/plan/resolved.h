#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "kvgen/base/json.h"
#include "kvgen/base/result.h"
#include "kvgen/model/dtype.h"

namespace kvgen {

// A plan with every expression evaluated for one variant: numbers only. What
// the runner executes, and all it knows of a candidate beside the object.

// A place in a tensor of the arenas or in a plan buffer. Input and output count
// as the arenas do: Variant::tensors() without, and only, those that are written.
struct ResolvedPlace {
  enum class Space { kInput, kOutput, kBuffer };  // index into that list
  Space space = Space::kInput;
  int index = 0;
  std::int64_t byte_offset = 0;
};

// A scalar argument: the parameter's bytes, little-endian, low end first.
struct ResolvedScalar {
  int bytes = 4;
  std::uint64_t bits = 0;
};

using ResolvedArgument = std::variant<ResolvedPlace, ResolvedScalar>;

struct ResolvedLaunch {
  std::string symbol;  // in the object
  std::string name;    // as the plan names it, for messages
  std::int64_t grid[3] = {1, 1, 1};
  std::int64_t block[3] = {1, 1, 1};
  std::int64_t dynamic_lds = 0;  // bytes
  std::vector<ResolvedArgument> arguments;
};

// Writes `element_bytes` of `bits` again and again from `to`.
struct ResolvedFill {
  ResolvedPlace to;
  std::int64_t bytes = 0;
  int element_bytes = 4;
  std::uint64_t bits = 0;
};

struct ResolvedCopy {
  ResolvedPlace from;
  ResolvedPlace to;
  std::int64_t bytes = 0;
};

struct ResolvedStep {
  std::variant<ResolvedLaunch, ResolvedFill, ResolvedCopy> what;
  std::string place;  // "run[2].do[0]", for messages
};

struct ResolvedBuffer {
  std::string name;
  DType dtype = DType::kFloat32;
  std::int64_t bytes = 0;
  bool keep = false;  // written by prepare, read by run
};

struct ResolvedPlan {
  std::vector<ResolvedBuffer> buffers;
  std::vector<ResolvedStep> prepare;
  std::vector<ResolvedStep> run;
};

Json to_json(const ResolvedPlan& plan);

// Untrusted: what comes back has grids, blocks, LDS and scalars in range, buffer
// indices and extents inside their buffers, and no fill or copy into an input.
Result<ResolvedPlan> resolved_plan_from(const Json& json, const std::string& where);

// Checks every place against the sizes in bytes of the tensors in the arenas.
Result<void> check_within(const ResolvedPlan& plan, const std::vector<std::int64_t>& input_bytes,
                          const std::vector<std::int64_t>& output_bytes);

}  // namespace kvgen
