#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kvgen/base/result.h"
#include "kvgen/compile/target.h"
#include "kvgen/model/build.h"
#include "kvgen/model/outcome.h"

namespace kvgen {

// A piece of the candidate's text, in bytes.
struct TextRange {
  std::size_t begin = 0;
  std::size_t end = 0;
};

struct HostFunction {
  std::string name;
  TextRange range;
};

// What the front end found in one text.
struct UnitFindings {
  std::optional<Outcome> refusal;
  std::string diagnostics;
  std::vector<HostFunction> host;  // to be dropped: the text must be compiled again without
  std::vector<KernelInfo> kernels;
  std::string tokens_hash;
};

// One text through Clang: parsed, looked at, lowered, optimised and linked. Lives for
// one compile.
class Unit {
 public:
  Unit(const CompileTarget& target, std::string_view pch);
  ~Unit();
  Unit(const Unit&) = delete;
  Unit& operator=(const Unit&) = delete;

  Result<UnitFindings> parse(const std::string& text, const std::vector<std::string>& kernels);
  // After a parse without refusal and host functions. Fills the findings' diagnostics and
  // refusal; gives the object before linking, empty when refused.
  Result<std::string> assemble(UnitFindings& findings);
  // The linked object, empty when refused. The process compiles nothing afterwards.
  Result<std::string> link(std::string_view object, UnitFindings& findings);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Serialised headers of a target.
Result<std::string> precompile(const CompileTarget& target);

// cc1 arguments of a target's compile: what options_hash covers.
std::vector<std::string> unit_arguments(const CompileTarget& target);

std::string llvm_version();

// Once a process, before anything else here.
void initialise_llvm();

}  // namespace kvgen
