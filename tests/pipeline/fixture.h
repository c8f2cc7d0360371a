#pragma once

#include <gmock/gmock.h>

#include <boost/asio/io_context.hpp>
#include <string>

#include "kvgen/pipeline/pipeline.h"
#include "tests/support/fake_stages.h"
#include "tests/support/loop.h"
#include "tests/support/relu_variant.h"

namespace kvgen {

inline const char* const kGoodPlan =
    R"({"plan": 1, "run": [{"kernel": "k", "grid": [1], "block": [64], "args": ["x", "out"]}]})";

// A task y = f(x) with the variants official, small and tiny, unless others are named.
inline Task simple_task(const std::string& name = "simple",
                        const std::vector<std::string>& variants = {"official", "small", "tiny"}) {
  Task task;
  task.name = name;
  task.entry = name + ".py:Model";
  for (const std::string& variant_name : variants) {
    const Shape shape = {variant_name.starts_with("tiny") ? 8 : 64};
    task.variants.push_back(testing::relu_variant(variant_name, shape));
  }
  seal(task);
  return task;
}

inline Result<Compiled> compiled(const CompileRequest& request) {
  Compiled result;
  result.build.target = request.target;
  KernelInfo kernel;
  kernel.expression = "k";
  kernel.symbol = "k";
  KernelParameter in{"x", "const float *"};
  in.to_const = true;
  kernel.parameters = {in, {"y", "float *"}};
  result.build.kernels = {kernel};
  result.build.tokens_hash = "same";
  return result;
}

class PipelineFixture : public ::testing::Test {
 protected:
  PipelineFixture() {
    compiler_.answer = compiled;
    options_.profile = false;
  }

  Verifier verifier() { return {compiler_, runner_, referee_, machine_, options_}; }

  Attempt prove(const Task& task, const std::string& plan = kGoodPlan) {
    Verifier one = verifier();
    Cases cases(task);
    Attempt attempt;
    attempt.task_hash = task.hash;
    attempt.candidate = Candidate{"source", plan, candidate_hash("source", plan), {}};
    auto proved = testing::await(loop_, one.prove(cases, attempt));
    EXPECT_TRUE(proved.ok()) << (proved.ok() ? "" : proved.error().message());
    return attempt;
  }

  boost::asio::io_context loop_;
  testing::FakeCompiler compiler_;
  testing::FakeRunner runner_;
  testing::FakeReferee referee_;
  Semaphore machine_{loop_.get_executor(), 2};
  VerifyOptions options_;
};

}  // namespace kvgen
