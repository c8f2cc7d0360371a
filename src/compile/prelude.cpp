#include "kvgen/compile/prelude.h"

#include "compile/embedded.h"
#include "kvgen/base/hash.h"

namespace kvgen {

std::span<const VirtualFile> prelude_files() {
  static const std::vector<VirtualFile> files = embedded_files();
  return files;
}

const std::string& prelude_hash() {
  static const std::string hash = [] {
    std::string all;
    for (const VirtualFile& file : prelude_files()) {
      all += file.name + '\0' + std::to_string(file.text.size()) + '\0' + file.text;
    }
    return sha256(all);
  }();
  return hash;
}

}  // namespace kvgen
