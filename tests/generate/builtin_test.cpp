#include "kvgen/generate/builtin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "kvgen/plan/plan.h"
#include "kvgen/plan/resolve.h"
#include "tests/support/fake_asking.h"
#include "tests/support/loop.h"

namespace kvgen {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

Json all_cases() {
  std::ifstream file(std::string(KVGEN_SOURCE_DIR) + "/tests/generate/cases/graphs.json");
  std::stringstream text;
  text << file.rdbuf();
  Result<Json> cases = parse_json(text.str());
  EXPECT_TRUE(cases.ok()) << (cases.ok() ? "" : cases.error().message());
  return cases.ok() ? *cases : Json::array();
}

// A case's graph in one of its variants. Values are "%name"; a call is [result,
// operator, overload, arguments, shapes], and numbers that differ between the
// variants follow by position.
class CaseTask {
 public:
  explicit CaseTask(const Json& described) : described_(described) {
    task.name = described["name"];
    const char* names[] = {"official", "tiny"};
    for (std::size_t v = 0; v < 2; ++v) task.variants.push_back(variant(names[v], v));
  }

  Task task;

 private:
  Json encoded(const Json& argument) const {
    if (argument.is_array()) {
      Json list = Json::array();
      for (const Json& item : argument) list.push_back(encoded(item));
      return list;
    }
    if (argument.is_string() && argument.get<std::string>().starts_with("%")) {
      return {{"t", ids_.at(argument.get<std::string>().substr(1))}};
    }
    return argument;
  }

  int id_of(const std::string& name) {
    return ids_.emplace(name, static_cast<int>(ids_.size())).first->second;
  }

  static Json spec(const std::string& name, const char* role, const Json& shape) {
    return {{"name", name}, {"role", role}, {"dtype", "float32"}, {"shape", shape}};
  }

  Variant variant(const std::string& name, std::size_t v) {
    Json inputs = Json::array();
    std::map<std::string, Json> shapes;
    for (const auto& [input, both] : described_["inputs"].items()) {
      inputs.push_back({{"id", id_of(input)}, {"spec", spec(input, "input", both[v])}});
      shapes[input] = both[v];
    }
    Json nodes = Json::array();
    for (const Json& call : described_["calls"]) {
      Json arguments = encoded(call[3]);
      if (call.size() > 5 && call[5].is_object()) {
        for (const auto& [position, values] : call[5].items()) {
          arguments[std::stoul(position)] = values[v];
        }
      }
      if (call.size() > 5 && call[5].is_array()) arguments[1] = call[5][v];
      const std::string result = call[0];
      shapes[result] = call[4][v];
      nodes.push_back({{"op", call[1]},
                       {"ov", call[2]},
                       {"args", arguments},
                       {"kw", Json::object()},
                       {"out", {id_of(result)}},
                       {"meta", {{{"dtype", "float32"}, {"shape", call[4][v]}}}}});
    }
    Json outputs = Json::array();
    const Json& wanted = described_["out"];
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const std::string value = wanted[i];
      const std::string out = wanted.size() == 1 ? "out" : "out" + std::to_string(i);
      outputs.push_back({{"id", id_of(value)}, {"spec", spec(out, "output", shapes.at(value))}});
    }
    Variant variant;
    variant.name = name;
    Result<Graph> graph = graph_from(
        {{"inputs", inputs}, {"scalars", Json::array()}, {"nodes", nodes}, {"outputs", outputs}},
        task.name);
    EXPECT_TRUE(graph.ok()) << (graph.ok() ? "" : graph.error().message());
    if (graph.ok()) variant.graph = *graph;
    for (const Json& symbol : described_.value("symbols", Json::array())) {
      Symbol made;
      made.name = symbol[0];
      made.value = symbol[3][v].get<double>();
      SymbolUse use;
      use.node = symbol[1];
      use.arg = symbol[2];
      made.uses.push_back(use);
      variant.symbols.push_back(std::move(made));
    }
    return variant;
  }

  const Json& described_;
  std::map<std::string, int> ids_;
};

Proposal proposal_for(Generator& generator, const Task& task) {
  boost::asio::io_context loop;
  testing::FakeAsking asking;
  Result<Proposal> proposal =
      kvgen::testing::await(loop, generator.propose(task, History(), asking));
  EXPECT_TRUE(proposal.ok());
  return proposal.ok() ? *proposal : Proposal();
}

class EveryGraph : public ::testing::Test {
 protected:
  std::unique_ptr<Generator> generator_ = make_builtin();
};

TEST_F(EveryGraph, IsDeclinedWithTheOperatorsNameOrAnsweredTheSameWayTwice) {
  for (const Json& described : all_cases()) {
    SCOPED_TRACE(described["name"].get<std::string>());
    const CaseTask built(described);
    const Proposal first = proposal_for(*generator_, built.task);
    if (described.contains("declined")) {
      EXPECT_FALSE(first.reply.has_value());
      ASSERT_TRUE(first.declined.has_value());
      EXPECT_EQ(first.declined->kind, OutcomeKind::kNoCandidate);
      EXPECT_EQ(first.declined->reason, described["declined"].get<std::string>());
      continue;
    }
    ASSERT_TRUE(first.reply.has_value()) << first.declined->reason;
    EXPECT_EQ(first.reply->text, proposal_for(*generator_, built.task).reply->text);
  }
}

TEST_F(EveryGraph, IsAnsweredByAPlanForAnyShape) {
  for (const Json& described : all_cases()) {
    if (described.contains("declined")) continue;
    SCOPED_TRACE(described["name"].get<std::string>());
    const CaseTask built(described);
    const Proposal proposal = proposal_for(*generator_, built.task);
    ASSERT_TRUE(proposal.reply.has_value());
    const Extracted extracted = generator_->extract(*proposal.reply);
    ASSERT_TRUE(extracted.candidate.has_value());
    const Checked<Plan> plan = parse_plan(extracted.candidate->plan_text);
    ASSERT_TRUE(plan.ok()) << plan.outcome().reason;
    EXPECT_THAT(plan->remarks, IsEmpty());
    for (const Variant& variant : built.task.variants) {
      const auto fault = check_names(*plan, variant);
      EXPECT_FALSE(fault.has_value()) << fault->reason;
      EXPECT_THAT(literals_of_today(*plan, variant), IsEmpty());
    }
    for (const char* size : {"4096", "6000", "1024", "768"}) {
      EXPECT_THAT(extracted.candidate->plan_text,
                  ::testing::Not(HasSubstr("\"" + std::string(size))));
    }
  }
}

TEST_F(EveryGraph, FusesIntoTheKernelsThatTheTableNames) {
  for (const Json& described : all_cases()) {
    if (described.contains("declined")) continue;
    SCOPED_TRACE(described["name"].get<std::string>());
    const CaseTask built(described);
    const Extracted extracted = generator_->extract(*proposal_for(*generator_, built.task).reply);
    const Checked<Plan> plan = parse_plan(extracted.candidate->plan_text);
    ASSERT_TRUE(plan.ok());
    for (const std::string& kernel : kernels_of(*plan)) {
      const std::string name = kernel.substr(0, kernel.find('<'));
      EXPECT_THAT(extracted.candidate->source, HasSubstr("void " + name + "("));
    }
    if (described.contains("kernels")) {
      const std::vector<std::string> named = kernels_of(*plan);
      EXPECT_THAT(std::set<std::string>(named.begin(), named.end()),
                  described["kernels"].get<std::set<std::string>>());
      EXPECT_EQ(plan->buffers.size(), described.value("buffers", 0U));
    }
    if (described.contains("argument")) {
      EXPECT_THAT(parse_json(extracted.candidate->plan_text)->dump(),
                  HasSubstr(described["argument"].dump()));
    }
  }
}

TEST_F(EveryGraph, IsNotAskedTwice) {
  EXPECT_EQ(generator_->useful_turns(Task()), 1);
  EXPECT_EQ(generator_->describe()["kind"], "builtin");
}

TEST_F(EveryGraph, WithoutVariantsIsDeclined) {
  EXPECT_TRUE(proposal_for(*generator_, Task()).declined.has_value());
}

}  // namespace
}  // namespace kvgen
