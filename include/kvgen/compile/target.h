#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kvgen/base/result.h"
#include "kvgen/compile/prelude.h"
#include "kvgen/model/build.h"
#include "kvgen/model/outcome.h"

namespace llvm {
class Module;
}

namespace kvgen {

// What the engine must know of one target. Implementations hold no state that a
// compile changes.
class CompileTarget {
 public:
  virtual ~CompileTarget() = default;

  // As CompileCall.target names it.
  [[nodiscard]] virtual std::string name() const = 0;
  // cc1 arguments beyond those all targets share.
  [[nodiscard]] virtual std::vector<std::string> arguments() const = 0;
  // Files that the arguments name, mounted in memory.
  [[nodiscard]] virtual const std::vector<VirtualFile>& files() const = 0;
  // Preprocessor lines after the prelude: macros of the machine hidden or added, so that a
  // candidate sees the same ones everywhere.
  [[nodiscard]] virtual std::string epilogue() const = 0;
  // Whether the candidate's inline assembly means something here.
  [[nodiscard]] virtual bool judges_assembly() const = 0;
  // The section of __shared__ variables; empty where an address space tells them.
  [[nodiscard]] virtual std::string lds_section() const = 0;
  // Whether the object may leave this function undefined.
  [[nodiscard]] virtual bool imports(std::string_view symbol) const = 0;
  // Makes of the front end's module what the device loads, before it is optimised, and
  // fills what only the module tells (static_lds).
  virtual Result<void> lower(llvm::Module& module, std::vector<KernelInfo>& kernels) const = 0;
  // Arguments of lld between "ld.lld" and the input.
  [[nodiscard]] virtual std::vector<std::string> link_arguments() const = 0;
  // Reads facts of the linked object; an outcome when the device cannot take it.
  virtual Result<std::optional<Outcome>> read_object(std::string_view object,
                                                     std::vector<KernelInfo>& kernels) const = 0;
};

}  // namespace kvgen
