#include "compile/link.h"

#include <lld/Common/Driver.h>
#include <llvm/Support/raw_ostream.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "kvgen/base/fd.h"

LLD_HAS_DRIVER(elf)

namespace kvgen {
namespace {

Result<UniqueFd> memory_file(const char* name, std::string_view bytes) {
  UniqueFd fd(::memfd_create(name, MFD_CLOEXEC));
  if (!fd.valid()) {
    return Error(Code::kFull, std::string("no memory file for the linker: ") + strerror(errno));
  }
  while (!bytes.empty()) {
    const ssize_t done = ::write(fd.get(), bytes.data(), bytes.size());
    if (done <= 0) {
      return Error(Code::kFull, std::string("writing the linker's input: ") + strerror(errno));
    }
    bytes.remove_prefix(static_cast<std::size_t>(done));
  }
  return fd;
}

}  // namespace

Result<Linked> link_object(std::string_view object, const std::vector<std::string>& arguments) {
  TRY(UniqueFd input, memory_file("object", object));
  TRY(UniqueFd output, memory_file("linked", {}));
  // "-o -" is the only output of lld that needs no folder to write in.
  if (::dup2(output.get(), STDOUT_FILENO) < 0) {
    return Error(Code::kIo, std::string("dup2 for the linker: ") + strerror(errno));
  }
  const std::string input_path = "/proc/self/fd/" + std::to_string(input.get());
  std::vector<const char*> line = {"ld.lld"};
  for (const std::string& argument : arguments) line.push_back(argument.c_str());
  for (const char* argument : {"--threads=1", "-o", "-"}) line.push_back(argument);
  line.push_back(input_path.c_str());

  Linked linked;
  llvm::raw_string_ostream said(linked.message);
  const bool good =
      lld::elf::link(line, llvm::outs(), said, /*exitEarly=*/false, /*disableOutput=*/false);
  llvm::outs().flush();
  if (!good) return linked;
  const off_t size = ::lseek(output.get(), 0, SEEK_END);
  if (size <= 0) return Error(Code::kInternal, "the linker wrote nothing");
  linked.object.resize(static_cast<std::size_t>(size));
  std::size_t have = 0;
  while (have < linked.object.size()) {
    const ssize_t got = ::pread(output.get(), linked.object.data() + have,
                                linked.object.size() - have, static_cast<off_t>(have));
    if (got <= 0) return Error(Code::kIo, "reading the linker's output");
    have += static_cast<std::size_t>(got);
  }
  return linked;
}

}  // namespace kvgen
