#include "kvgen/worker/protocol.h"

#include <gmock/gmock.h>

#include <functional>

#include "tests/support/specimens.h"

namespace kvgen {
namespace {

using ::testing::HasSubstr;

struct Codec {
  const char* name;
  Json json;
  std::function<Result<Json>(const Json&)> again;
};

template <class T>
Codec codec(const char* name, const T& value, Result<T> (*decode)(const Json&)) {
  return {name, to_json(value), [decode](const Json& json) -> Result<Json> {
            TRY(const T decoded, decode(json));
            return to_json(decoded);
          }};
}

std::vector<Codec> codecs() {
  const ArenaLayout layout =
      *lay_out({{"x", TensorRole::kInput, DType::kFloat32, {3, 5}}}, 1 << 20);
  const Task task = testing::specimen_task();
  RunReport report;
  report.status = RunReport::Status::kOutOfBounds;
  report.reason = "read 4 bytes past the end of x";
  report.detail = {{"kernel", "f"}};
  report.printed = "hello\n";
  report.wall_ns = 1234;
  const CompileCall compile{"__global__ void f(){}", "gfx942", {"f", "scan<float, 4>"}};
  const RunCall run{{{"plan", 1}}, layout, layout, 0xffffffffffffffffU, 500, 2, "reverse"};
  const Verdict verdict = testing::specimen_verdict();
  return {
      codec("CompileCall", compile, compile_call_from),
      codec("CompileAnswer", CompileAnswer{testing::specimen_build()}, compile_answer_from),
      codec("RunCall", run, run_call_from),
      codec("RunReport", report, run_report_from),
      codec("TimeSampleCall", TimeSampleCall{16, true}, time_sample_call_from),
      codec("TimeSampleAnswer", TimeSampleAnswer{report}, time_sample_answer_from),
      codec("OpenCaseCall", OpenCaseCall{task, "official", 1, "normal"}, open_case_call_from),
      codec("OpenCaseAnswer", OpenCaseAnswer{"c1", layout, 99}, open_case_answer_from),
      codec("NewOutputsCall", NewOutputsCall{"c1", 5}, new_outputs_call_from),
      codec("NewOutputsAnswer", NewOutputsAnswer{layout}, new_outputs_answer_from),
      codec("JudgeCall", JudgeCall{"c1", 5, layout}, judge_call_from),
      codec("JudgeAnswer", JudgeAnswer{verdict.cases[0], verdict.outcome}, judge_answer_from),
      codec("TimeReferenceCall", TimeReferenceCall{"c1", 3, true, 2}, time_reference_call_from),
      codec("AdmitCall", AdmitCall{task, 7}, admit_call_from),
      codec("AdmitAnswer", AdmitAnswer{{"degenerate: zeros"}}, admit_answer_from),
  };
}

class Protocol : public ::testing::TestWithParam<Codec> {};

TEST_P(Protocol, GivesBackWhatWasSent) {
  const auto parsed = parse_json(to_line(GetParam().json));
  ASSERT_TRUE(parsed.ok());
  const auto again = GetParam().again(*parsed);
  ASSERT_TRUE(again.ok()) << again.error().message();
  EXPECT_EQ(*again, GetParam().json);
}

TEST_P(Protocol, MissesNothingAndTakesNothingUnknown) {
  for (const auto& [key, value] : GetParam().json.items()) {
    Json without = GetParam().json;
    without.erase(key);
    const auto again = GetParam().again(without);
    ASSERT_FALSE(again.ok()) << key;
    EXPECT_EQ(again.error().code(), Code::kInvalid);
    EXPECT_THAT(again.error().message(), HasSubstr(key));
  }
  Json more = GetParam().json;
  more["stranger"] = 1;
  EXPECT_THAT(GetParam().again(more).error().message(), HasSubstr("stranger"));
}

TEST_P(Protocol, RefusesAWrongKindOfValue) {
  for (const auto& [key, value] : GetParam().json.items()) {
    if (key == "plan" || key == "detail") continue;  // passed on unread
    Json wrong = GetParam().json;
    wrong[key] = value.is_boolean() ? Json("text") : Json(true);
    EXPECT_FALSE(GetParam().again(wrong).ok()) << key;
  }
  EXPECT_FALSE(GetParam().again(Json::array()).ok());
}

INSTANTIATE_TEST_SUITE_P(Table, Protocol, ::testing::ValuesIn(codecs()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(RunReportTest, EveryStatusHasAName) {
  for (int i = 0; i <= static_cast<int>(RunReport::Status::kBarrierDivergence); ++i) {
    RunReport report;
    report.status = static_cast<RunReport::Status>(i);
    const auto again = run_report_from(to_json(report));
    ASSERT_TRUE(again.ok()) << i;
    EXPECT_EQ(again->status, report.status);
  }
  Json json = to_json(RunReport{});
  json["status"] = "fine";
  EXPECT_THAT(run_report_from(json).error().message(), HasSubstr("unknown status"));
}

TEST(CountsTest, OfRunsAreAtLeastOne) {
  EXPECT_FALSE(time_sample_call_from({{"runs", 0}, {"cold", false}}).ok());
  EXPECT_FALSE(
      time_reference_call_from({{"case_id", "c"}, {"runs", 0}, {"cold", false}, {"cores", 1}})
          .ok());
}

}  // namespace
}  // namespace kvgen
