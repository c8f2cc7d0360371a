#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "tests/compile/support.h"

namespace kvgen::test {
namespace {

using testing::Contains;
using testing::HasSubstr;

std::string parameter_text(const KernelParameter& parameter) {
  static const std::map<KernelParameter::Element, std::string> names = {
      {KernelParameter::Element::kBool, "bool"},
      {KernelParameter::Element::kSigned, "signed"},
      {KernelParameter::Element::kUnsigned, "unsigned"},
      {KernelParameter::Element::kFloating, "floating"},
      {KernelParameter::Element::kBFloat16, "bfloat16"},
      {KernelParameter::Element::kOpaque, "opaque"}};
  const bool pointer = parameter.form == KernelParameter::Form::kPointer;
  std::string type = parameter.type;
  if (const auto star = type.find(" *"); star != std::string::npos) type.erase(star, 1);
  return parameter.name + ": " + type + " " + names.at(parameter.element) + " " +
         std::to_string(parameter.element_bytes) +
         (parameter.components > 1 ? " x" + std::to_string(parameter.components) : "") +
         (pointer && parameter.to_const ? " const" : "");
}

std::string signature_text(const KernelInfo& kernel) {
  std::string text;
  for (const auto& parameter : kernel.parameters) {
    text += (text.empty() ? "" : "; ") + parameter_text(parameter);
  }
  return text;
}

// "KIND [part of the reason]"
void expect_outcome(const Build& build, const std::string& expected) {
  const auto space = expected.find(' ');
  EXPECT_EQ(kind_of(build), expected.substr(0, space))
      << (build.failure ? build.failure->reason : "") << "\n"
      << build.diagnostics;
  if (space == std::string::npos || !build.failure) return;
  EXPECT_THAT(build.failure->reason, HasSubstr(expected.substr(space + 1)));
}

void expect_kernels(const CaseFile& file, const Build& build) {
  std::set<std::string> atomics;
  for (const KernelInfo& kernel : build.kernels) {
    if (kernel.float_atomics) atomics.insert(kernel.expression);
    EXPECT_FALSE(kernel.symbol.empty());
    EXPECT_EQ(kernel.facts.has_value(), build.target != "cpu");
    for (const std::string& text : file.all("signature " + kernel.expression)) {
      EXPECT_EQ(signature_text(kernel), text);
    }
    for (const std::string& line : file.all("line " + kernel.expression)) {
      EXPECT_EQ(std::to_string(kernel.line), line);
    }
    for (const std::string& bytes : file.all("lds " + kernel.expression)) {
      EXPECT_EQ(std::to_string(kernel.static_lds), bytes);
    }
  }
  for (const std::string& names : file.all("atomics")) {
    std::stringstream stream(names);
    const std::set<std::string> wanted{std::istream_iterator<std::string>(stream), {}};
    EXPECT_EQ(atomics, wanted);
  }
}

// Compiles a case for each target and holds it to what it says.
void check(const CaseFile& file) {
  SCOPED_TRACE(file.name);
  std::set<std::string> tokens;
  for (const std::string& target : engine().target_names()) {
    SCOPED_TRACE(target);
    const Answer answer = compile(file.source, target, file.kernels);
    auto expected = file.all("expect " + target);
    if (expected.empty()) expected = file.all("expect");
    ASSERT_EQ(expected.size(), 1U) << "one expectation a case and target";
    expect_outcome(answer.build, expected.front());
    expect_kernels(file, answer.build);
    tokens.insert(answer.build.tokens_hash);
    for (const std::string& part : file.all("diagnostics")) {
      EXPECT_THAT(answer.build.diagnostics, HasSubstr(part));
    }
    for (const std::string& remark : file.all("remark")) {
      EXPECT_THAT(answer.build.remarks, Contains(remark));
    }
    EXPECT_EQ(answer.object.empty(), !answer.build.usable());
  }
  for (const std::string& relation : file.all("tokens")) {
    EXPECT_EQ(tokens.size() == 1, relation == "same");
  }
}

class CompileCase : public testing::TestWithParam<CaseFile> {};

TEST_P(CompileCase, IsWhatItSays) { check(GetParam()); }

std::string case_name(const testing::TestParamInfo<CaseFile>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(Table, CompileCase, testing::ValuesIn(case_files("compile/cases")),
                         case_name);

class PreludeCase : public testing::TestWithParam<CaseFile> {};

// The prelude's own sources name no kernels: all of them are built.
TEST_P(PreludeCase, Compiles) {
  for (const std::string& target : engine().target_names()) {
    SCOPED_TRACE(target);
    const CaseFile& file = GetParam();
    const Answer answer = compile(file.source, target, {});
    const auto expected = file.all("expect");
    ASSERT_EQ(expected.size(), 1U);
    expect_outcome(answer.build, expected.front() == "ok" ? "usable" : expected.front());
  }
}

INSTANTIATE_TEST_SUITE_P(Table, PreludeCase, testing::ValuesIn(case_files("compile/prelude")),
                         case_name);

TEST(CompileText, HostCodeIsBlankInTheStoredTextAndLinesStay) {
  const std::string source =
      "int twice(int x) {\n  return 2 * x;\n}\n__global__ void k(int* x) { x[0] = 1; }\n";
  const Answer answer = compile(source, "cpu", {"k"});
  ASSERT_TRUE(answer.build.usable()) << answer.build.diagnostics;
  EXPECT_EQ(answer.build.device_source.find("twice"), std::string::npos);
  EXPECT_EQ(answer.build.device_source.size(), source.size());
  EXPECT_EQ(answer.build.kernels.at(0).line, 4);
  const Answer again = compile(answer.build.device_source, "cpu", {"k"});
  EXPECT_EQ(again.build.object_hash, answer.build.object_hash);
  EXPECT_TRUE(again.build.remarks.empty());
}

TEST(CompileText, UnknownTargetIsOursAndNamesTheKnownOnes) {
  CompileService service(engine(), {});
  const auto answer = service.compile({"", "gfx1201", {}});
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code(), Code::kMissing);
  EXPECT_THAT(answer.error().message(), HasSubstr("cpu"));
}

TEST(CompileFacts, LaunchBoundsReachTheRegisterAllocator) {
  const Answer answer =
      compile("__global__ void __launch_bounds__(256) k(float* x) { x[threadIdx.x] = 1; }",
              "gfx942", {"k"});
  ASSERT_TRUE(answer.build.usable()) << answer.build.diagnostics;
  const KernelInfo& kernel = answer.build.kernels.at(0);
  EXPECT_EQ(kernel.launch_bound, 256);
  ASSERT_TRUE(kernel.facts.has_value());
  EXPECT_EQ(kernel.facts->max_workgroup, 256);
  EXPECT_EQ(kernel.facts->wave_size, 64);
  EXPECT_GT(kernel.facts->vgprs, 0);
}

}  // namespace
}  // namespace kvgen::test
