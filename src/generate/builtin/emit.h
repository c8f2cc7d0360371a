#pragma once

#include <set>
#include <string>

#include "generate/builtin/schedule.h"
#include "kvgen/base/json.h"

namespace kvgen::builtin {

// Device source and plan of a schedule, kernel by kernel.
struct Emitted {
  std::set<std::string> helpers;  // device functions that kernels call, by name
  std::string source;
  Json steps = Json::array();
};

void emit_pointwise(const Program& program, const Schedule& schedule, const Group& group,
                    const std::string& name, Emitted& emitted);
void emit_row(const Program& program, const Schedule& schedule, const Group& group,
              const std::string& name, Emitted& emitted);
void emit_matmul(const Program& program, const Schedule& schedule, const Group& group,
                 const std::string& name, Emitted& emitted);

void emit_scan(const Program& program, const Schedule& schedule, const Group& group,
               const std::string& name, Emitted& emitted);
void emit_sort(const Program& program, const Schedule& schedule, const Group& group,
               const std::string& name, Emitted& emitted);

// Adds a launch for each index type: int while `count` elements fit, else long long.
struct Launch {
  std::string kernel;
  std::string count;  // an expression: the largest position in the kernel
  std::string when;   // "" or a further condition
  Json grid, block;
  std::string shared;  // bytes of dynamic LDS; "" for none
  Json arguments;
};
void add_launches(const Launch& launch, Emitted& emitted);

// The most elements that any tensor of the kernel has.
std::string largest_position(const Program& program, const Schedule& schedule, const Group& group);

// Text of the helpers that were used.
std::string helper_source(const std::set<std::string>& names);

std::string reply_text(const Program& program, const Schedule& schedule, const Emitted& emitted);

}  // namespace kvgen::builtin
