#include "kvgen/generate/builtin.h"
#include "kvgen/generate/generator.h"
#include "kvgen/generate/replay.h"

namespace kvgen {

Result<std::unique_ptr<Generator>> make_generator(std::string_view spec, Files& files) {
  constexpr std::string_view kReplay = "replay:";
  if (spec == "builtin") return make_builtin();
  if (spec.starts_with(kReplay) && spec.size() > kReplay.size()) {
    const fs::path folder(spec.substr(kReplay.size()));
    if (!files.exists(folder)) {
      return Error(Code::kNotFound,
                   "--generator " + std::string(spec) + ": there is no folder " + folder.string());
    }
    return make_replay(folder, files);
  }
  return Error(Code::kUsage, "--generator " + std::string(spec) +
                                 ": no such generator; there are builtin and replay:DIR (a folder "
                                 "of replies, TASK.md each)");
}

}  // namespace kvgen
