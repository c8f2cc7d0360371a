#pragma once

#include <limits>
#include <memory>

#include "generate/llm/provider.h"
#include "kvgen/generate/openai.h"
#include "kvgen/generate/prompt.h"

namespace kvgen::generate {

// The generator behind make_openai, with the network, the time and chance given.
class OpenAi final : public Generator {
 public:
  OpenAi(OpenAiOptions options, std::unique_ptr<PromptBook> book, ProviderWorld world);

  Json describe() const override;
  int useful_turns(const Task&) const override { return std::numeric_limits<int>::max(); }
  int answers_in_flight() const override { return options_.requests; }
  Awaitable<Result<Proposal>> propose(const Task& task, const History& history,
                                      Asking& asking) override;
  const Attempt* parent(const History& history) const override;
  Json feedback(const Task& task, const Attempt& attempt) const override;
  Extracted extract(const Reply& reply) const override;

 private:
  Json origin_of(const Json& messages, const Answer& answer) const;

  OpenAiOptions options_;
  std::unique_ptr<PromptBook> book_;
  Provider provider_;
};

}  // namespace kvgen::generate
