#pragma once

#include <memory>
#include <string_view>

#include "kvgen/base/clock.h"
#include "kvgen/base/files.h"
#include "kvgen/base/result.h"
#include "kvgen/generate/openai.h"
#include "kvgen/stage/generator.h"

namespace kvgen {

// A generator by its name on the command line:
//   builtin        the rule-based generator
//   replay:DIR     replies kept as files, see replay.h
//   openai:MODEL   a language model, asked as `asked` says (whose model is not read)
// Anything else is a usage Error that names these. `files` and `clock` must outlive it.
Result<std::unique_ptr<Generator>> make_generator(std::string_view spec, Files& files,
                                                  const Clock& clock, OpenAiOptions asked);

}  // namespace kvgen
