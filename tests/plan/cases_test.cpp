#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "kvgen/plan/plan.h"
#include "kvgen/plan/resolve.h"
#include "plan/evaluate.h"
#include "tests/plan/subject.h"

// The cases are data: tests/plan/cases/*.txt. With KVGEN_REWRITE_CASES=FILE set,
// what is seen is written there for a person to read and compare.

namespace kvgen::test {
namespace {

// "step {...}" is a plan of that one step.
std::string whole_plan(const std::string& text) {
  if (text.rfind("step ", 0) == 0) return "{\"plan\": 1, \"run\": [" + text.substr(5) + "]}";
  return text;
}

std::vector<std::string> seen_in(const std::string& text) {
  const Subject with = subject();
  auto plan = parse_plan(whole_plan(text));
  if (!plan.ok())
    return {std::string(to_string(plan.outcome().kind)) + ": " + plan.outcome().reason};

  std::vector<std::string> seen;
  auto resolved = resolve(*plan, with.variant, with.build, limits_of("gfx942"));
  if (resolved.ok()) {
    seen = lines_of(*resolved);
  } else {
    seen = {std::string(to_string(resolved.outcome().kind)) + ": " + resolved.outcome().reason};
  }
  for (const std::string& remark : plan->remarks) seen.push_back("remark " + remark);
  for (const std::string& remark : literals_of_today(*plan, with.variant)) {
    seen.push_back("today " + remark);
  }
  if (seen.empty()) seen.push_back("nothing to do");

  // What was normalised is a plan of the same meaning, in canonical spelling.
  auto again = parse_plan(plan->normalised.dump());
  EXPECT_TRUE(again.ok()) << plan->normalised.dump();
  if (again.ok()) {
    EXPECT_EQ(again->normalised, plan->normalised);
    EXPECT_THAT(again->remarks, testing::IsEmpty());
    auto same = resolve(*again, with.variant, with.build, limits_of("gfx942"));
    EXPECT_EQ(same.ok(), resolved.ok());
    if (same.ok() && resolved.ok()) EXPECT_EQ(to_json(*same), to_json(*resolved));
  }
  return seen;
}

void rewrite(const std::string& file, const std::vector<Case>& cases,
             const std::vector<std::vector<std::string>>& seen) {
  const char* target = std::getenv("KVGEN_REWRITE_CASES");
  if (target == nullptr) return;
  std::ofstream out(std::string(target) + "/" + file);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    out << cases[i].text;
    for (const std::string& line : seen[i]) out << "=> " << line << "\n";
    out << "\n";
  }
}

class PlanCases : public testing::TestWithParam<std::string> {};

TEST_P(PlanCases, GiveWhatIsWritten) {
  const std::vector<Case> cases = cases_in(GetParam());
  EXPECT_FALSE(cases.empty());
  std::vector<std::vector<std::string>> seen;
  for (const Case& one : cases) {
    SCOPED_TRACE(one.name);
    seen.push_back(seen_in(one.text));
    EXPECT_EQ(seen.back(), one.expected) << one.text;
  }
  rewrite(GetParam(), cases, seen);
}

INSTANTIATE_TEST_SUITE_P(Files, PlanCases,
                         testing::Values("right.txt", "shape.txt", "names.txt", "steps.txt",
                                         "arguments.txt", "order.txt"),
                         [](const auto& info) {
                           return info.param.substr(0, info.param.find('.'));
                         });

// "EXPRESSION => VALUE", "real EXPRESSION => VALUE", "... => error: MESSAGE".
std::string value_of(const std::string& text) {
  const bool real = text.rfind("real ", 0) == 0;
  const Json source = {{"plan", 1},
                       {"let", {{"rows", "dim(x, 0)"}, {"half_row", "dim(x, 1) / 2.0"}}},
                       {"run", {{{"fill", "out"}, {"value", 0}}}}};
  const auto plan = parse_plan(source.dump());
  const Subject with = subject();
  const Names names(*plan, with.variant);
  const DeviceLimits limits = limits_of("gfx942");
  Evaluator evaluator(names, limits);
  const ExpressionParse parsed = parse_expression(text.substr(real ? 5 : 0));
  if (!parsed.problem.empty()) {
    return "error: " + parsed.problem +
           (parsed.suggestion.empty() ? "" : "; did you mean \"" + parsed.suggestion + "\"?");
  }
  const auto message = [](const Outcome& outcome) {
    const auto text_of = outcome.detail.at("message").get<std::string>();
    const auto colon = text_of.rfind("\": ");
    return "error: " + (colon == std::string::npos ? text_of : text_of.substr(colon + 3));
  };
  if (!real) {
    const auto value = evaluator.integer(parsed.expression, "");
    return value.ok() ? std::to_string(*value) : message(value.outcome());
  }
  const auto value = evaluator.real(parsed.expression, "");
  if (!value.ok()) return message(value.outcome());
  return value->real() ? literal(std::get<1>(value->value)).text
                       : std::to_string(std::get<0>(value->value));
}

TEST(Expressions, HaveTheValuesWritten) {
  std::ifstream file(std::string(KVGEN_SOURCE_DIR) + "/tests/plan/cases/expressions.txt");
  ASSERT_TRUE(file.is_open());
  int count = 0;
  for (std::string line; std::getline(file, line);) {
    const auto arrow = line.find("=>");
    if (line.empty() || line[0] == '#' || arrow == std::string::npos) continue;
    const std::string text = line.substr(0, line.find_last_not_of(' ', arrow - 1) + 1);
    EXPECT_EQ(value_of(text), line.substr(arrow + 3)) << text;
    ++count;
  }
  EXPECT_GT(count, 60);
}

TEST(Expressions, HaveOneCanonicalSpelling) {
  for (const auto& [written, canonical] : std::vector<std::pair<std::string, std::string>>{
           {"a+b*c", "a + b * c"},
           {"(a+b)*c", "(a + b) * c"},
           {"a-(b-c)", "a - (b - c)"},
           {"(a-b)-c", "a - b - c"},
           {"a?b:c?d:e", "a ? b : c ? d : e"},
           {"(a?b:c)?d:e", "(a ? b : c) ? d : e"},
           {"-(-3)", "-(-3)"},
           {"- a", "-a"},
           {"x.size( 1 )", "dim(x, 1)"},
           {"x.shape[-1]//4", "floor_div(dim(x, -1), 4)"},
           {"0x10", "16"},
           {"1e3", "1000.0"},
           {".5", "0.5"}}) {
    const ExpressionParse parsed = parse_expression(written);
    EXPECT_EQ(parsed.problem, "") << written;
    EXPECT_EQ(parsed.expression.text, canonical);
    EXPECT_EQ(parse_expression(canonical).expression.text, canonical);
  }
}

}  // namespace
}  // namespace kvgen::test
