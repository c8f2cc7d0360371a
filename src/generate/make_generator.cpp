#include "kvgen/generate/builtin.h"
#include "kvgen/generate/generator.h"
#include "kvgen/generate/replay.h"

namespace kvgen {
namespace {

constexpr std::string_view kReplay = "replay:";
constexpr std::string_view kOpenAi = "openai:";

bool names(std::string_view spec, std::string_view kind) {
  return spec.starts_with(kind) && spec.size() > kind.size();
}

}  // namespace

Result<std::unique_ptr<Generator>> make_generator(std::string_view spec, Files& files,
                                                  const Clock& clock, OpenAiOptions asked) {
  if (spec == "builtin") return make_builtin();
  if (names(spec, kReplay)) {
    const fs::path folder(spec.substr(kReplay.size()));
    if (!files.exists(folder)) {
      return Error(Code::kNotFound,
                   "--generator " + std::string(spec) + ": there is no folder " + folder.string());
    }
    return make_replay(folder, files);
  }
  if (names(spec, kOpenAi)) {
    asked.model = spec.substr(kOpenAi.size());
    return make_openai(std::move(asked), files, clock);
  }
  return Error(Code::kUsage, "--generator " + std::string(spec) +
                                 ": no such generator; there are builtin, replay:DIR (a folder "
                                 "of replies, TASK.md each) and openai:MODEL");
}

}  // namespace kvgen
