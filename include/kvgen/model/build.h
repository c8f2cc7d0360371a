#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kvgen/base/json.h"
#include "kvgen/base/result.h"
#include "kvgen/model/outcome.h"

namespace kvgen {

// What a kernel's parameter accepts, from Clang's AST.
struct KernelParameter {
  enum class Form { kPointer, kScalar };
  // Element of a pointer, or the scalar itself. kOpaque: void* and char*.
  enum class Element { kBool, kSigned, kUnsigned, kFloating, kBFloat16, kOpaque };

  std::string name;  // "" when unnamed
  std::string type;  // as written, for messages: "const float4 *"
  Form form = Form::kPointer;
  Element element = Element::kFloating;
  int element_bytes = 4;  // of one component: 4 for float4; 1 for opaque
  int components = 1;     // 4 for float4
  bool to_const = false;  // pointers only
};

// Waves a SIMD holds at once of a kernel, for one way to launch it (plan/occupancy.h).
struct Occupancy {
  int waves = 0;
  int most = 0;            // that the hardware holds
  std::string limited_by;  // "waves", "vgprs", "sgprs", "lds", "groups"
  int threads = 0;         // of the work-group
  std::int64_t dynamic_lds = 0;
};

// Instructions of a kernel by what executes them, as they are in the object, not as often as they
// run.
struct InstructionMix {
  int valu = 0;
  int salu = 0;
  int smem = 0;  // scalar loads
  int vmem = 0;  // global, flat, buffer and scratch memory
  int lds = 0;
  int mfma = 0;
  int branch = 0;
  int waitcnt = 0;
  int other = 0;
};

// Registers and memory of one kernel on one architecture, from the code object.
struct KernelFacts {
  int vgprs = 0;  // AGPRs included on gfx90a and later
  int agprs = 0;
  int sgprs = 0;
  int vgpr_spills = 0;
  int sgpr_spills = 0;
  int lds_bytes = 0;      // static
  int scratch_bytes = 0;  // per work-item
  int wave_size = 64;
  int max_workgroup = 1024;
  int kernarg_bytes = 0;
  bool dynamic_stack = false;
  std::optional<Occupancy> occupancy;  // at max_workgroup, or as the plan launches it
  std::optional<InstructionMix> mix;
};

struct KernelInfo {
  std::string expression;  // as the plan names it: "scan<float, 4>"
  std::string symbol;      // the object's name of it
  int line = 0;            // of the definition, in the candidate's text
  std::vector<KernelParameter> parameters;
  int static_lds = 0;                // bytes of __shared__ variables
  int launch_bound = 0;              // __launch_bounds__, 0: none
  bool float_atomics = false;        // reaches a floating-point atomic
  std::optional<KernelFacts> facts;  // none for the cpu device
};

// The result of compiling a candidate for one target ("cpu", "gfx942").
// `failure` is compile_error, bad_plan (a signature nobody can launch),
// cheating or not_judged_here; none means that the object can be loaded.
struct Build {
  std::string target;
  std::string compiler;  // "clang", "hiprtc"
  std::string compiler_version;
  std::string options_hash;  // prelude, options and device libraries
  std::optional<Outcome> failure;
  // Why this compiler's word does not count: an old hiprtc lacks what the candidate uses, or
  // could not be asked. Such a build rejects nobody.
  std::optional<std::string> gate_unavailable;
  std::string diagnostics;  // the candidate's lines, head and tail kept
  std::vector<KernelInfo> kernels;
  std::vector<std::string> remarks;  // "host_code_dropped: main"
  std::string device_source;         // the candidate's text with host code dropped
  std::string tokens_hash;           // of its tokens after preprocessing
  std::string object_hash;
  std::int64_t object_bytes = 0;

  [[nodiscard]] bool usable() const { return !failure && !gate_unavailable; }
  [[nodiscard]] const KernelInfo* kernel(std::string_view expression) const;
};

Json to_json(const KernelInfo& kernel);
Result<KernelInfo> kernel_info_from(const Json& json, const std::string& where);
Json to_json(const Build& build);
Result<Build> build_from(const Json& json, const std::string& where);

}  // namespace kvgen
