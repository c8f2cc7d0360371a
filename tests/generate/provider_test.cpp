#include "generate/llm/provider.h"

#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <cstdio>
#include <fstream>

#include "generate/http/curl_http.h"
#include "tests/support/fake_asking.h"
#include "tests/support/fake_time.h"
#include "tests/support/loop.h"
#include "tests/support/temp_folder.h"

namespace kvgen::generate {
namespace {

using kvgen::testing::FakeAsking;
using kvgen::testing::FakeTime;
using ::testing::HasSubstr;
using ::testing::Not;

// tests/peers/fault_peer.py, a process that answers as its script says.
class ScriptedPeer {
 public:
  ScriptedPeer(const fs::path& folder, const Json& steps, bool repeat) {
    const fs::path script = folder / "steps.json";
    std::ofstream(script) << steps.dump();
    const std::string program = std::string(KVGEN_SOURCE_DIR) + "/tests/peers/fault_peer.py";
    const std::string log = (folder / "requests.jsonl").string();
    int pipe[2];
    if (::pipe(pipe) != 0) return;
    pid_ = ::fork();
    if (pid_ == 0) {
      ::dup2(pipe[1], 1);
      ::close(pipe[0]);
      ::execlp("python3", "python3", "-B", program.c_str(), "0", "--script", script.c_str(),
               "--log", log.c_str(), repeat ? "--repeat-last" : nullptr, nullptr);
      ::_exit(127);
    }
    ::close(pipe[1]);
    FILE* out = ::fdopen(pipe[0], "r");
    char line[200] = {};
    if (std::fgets(line, sizeof line, out) != nullptr) url_ = std::string(line).substr(6);
    std::fclose(out);
    while (!url_.empty() && url_.back() == '\n') url_.pop_back();
  }
  ScriptedPeer(const ScriptedPeer&) = delete;
  ScriptedPeer& operator=(const ScriptedPeer&) = delete;
  ~ScriptedPeer() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  [[nodiscard]] const std::string& url() const { return url_; }

 private:
  pid_t pid_ = -1;
  std::string url_;
};

// Limits that a case sets; all else goes to the real client.
class LimitedHttp final : public Http {
 public:
  explicit LimitedHttp(std::size_t body_bytes) : body_bytes_(body_bytes) {}
  Awaitable<Result<HttpReply>> post(HttpRequest request, HttpReader reader) override {
    if (body_bytes_ > 0) request.limits.body_bytes = body_bytes_;
    return real_->post(std::move(request), std::move(reader));
  }

 private:
  std::size_t body_bytes_;
  std::unique_ptr<Http> real_ = make_curl_http();
};

Json cases() {
  std::ifstream in(std::string(KVGEN_SOURCE_DIR) + "/tests/generate/cases/faults.json");
  return Json::parse(in);
}

class FaultyProvider : public ::testing::TestWithParam<Json> {};

TEST_P(FaultyProvider, IsAskedAgainOrToldOf) {
  const Json& one = GetParam();
  const Json given = one.value("options", Json::object());
  Json steps = one["steps"];
  for (Json& step : steps) {
    if (step.contains("huge")) step = {{"body", std::string(step["huge"].get<int>(), 'x')}};
  }
  const kvgen::testing::TempFolder folder;
  const ScriptedPeer peer(folder.path(), steps, one.value("repeat", false));
  OpenAiOptions options;
  options.base_url = peer.url();
  options.key = "sk-secret";
  options.model = "m";
  options.stream = given.value("stream", true);
  options.idle_limit = std::chrono::seconds(given.value("idle_s", 20));
  if (given.contains("max_tokens")) options.max_tokens = given["max_tokens"];
  if (given.contains("give_up_s")) {
    options.give_up_after = std::chrono::seconds(given["give_up_s"].get<int>());
  }
  boost::asio::io_context loop;
  LimitedHttp http(given.value("body_bytes", 0));
  FakeTime time;
  FakeAsking asking;
  Provider provider(options, {http, time, time, [] { return 0.5; }});
  const Json messages = {{{"role", "user"}, {"content", "write"}}};
  const auto answer = kvgen::testing::await(loop, provider.ask(messages, asking));

  if (one.contains("text")) {
    ASSERT_TRUE(answer.ok()) << answer.error().message();
    EXPECT_EQ(Json(answer->completion.text), one["text"]);
    EXPECT_EQ(answer->completion.reasoning, one.value("reasoning", std::string()));
    if (one.contains("finish_reason")) {
      EXPECT_EQ(Json(answer->completion.finish_reason), one["finish_reason"]);
    }
    const Json fields = one.value("fields", Json::object());
    for (const auto& [key, value] : fields.items()) EXPECT_EQ(answer->fields[key], value);
    if (one.contains("troubles")) {
      EXPECT_EQ(Json(answer->troubles), one["troubles"]);
    }
  } else {
    ASSERT_FALSE(answer.ok());
    EXPECT_THAT(answer.error().message(), HasSubstr(one["says"].get<std::string>()));
    EXPECT_THAT(answer.error().message(), Not(HasSubstr("sk-secret")));
    const std::map<std::string, Code> codes = {{"kWorker", Code::kWorker},
                                               {"kMissing", Code::kMissing},
                                               {"kUsage", Code::kUsage},
                                               {"kInvalid", Code::kInvalid}};
    EXPECT_EQ(answer.error().code(), codes.at(one["error"]));
  }
  if (one.contains("asked")) {
    EXPECT_EQ(asking.asked, one["asked"]);
  }
  EXPECT_GE(asking.asked, one.value("asked_at_least", 0));
  if (one.contains("refused")) {
    EXPECT_EQ(asking.refused, one["refused"]);
  }
  if (one.contains("waits_ms")) {
    ASSERT_EQ(time.naps.size(), one["waits_ms"].size());
    for (std::size_t i = 0; i < time.naps.size(); ++i) {
      EXPECT_GE(time.naps[i], one["waits_ms"][i][0].get<int>());
      EXPECT_LE(time.naps[i], one["waits_ms"][i][1].get<int>());
    }
  }
}

std::string test_name(const ::testing::TestParamInfo<Json>& info) {
  std::string name = info.param["name"];
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(Cases, FaultyProvider,
                         ::testing::ValuesIn(cases().get<std::vector<Json>>()), test_name);

TEST(Provider, NobodyListeningIsWaitedForAndCostsNothing) {
  OpenAiOptions options;
  options.base_url = "http://127.0.0.1:9/v1";
  options.model = "m";
  options.give_up_after = std::chrono::hours(1);
  boost::asio::io_context loop;
  const auto http = make_curl_http();
  FakeTime time;
  FakeAsking asking;
  Provider provider(options, {*http, time, time, [] { return 0.0; }});
  const auto answer = kvgen::testing::await(loop, provider.ask(Json::array(), asking));
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code(), Code::kMissing);
  EXPECT_EQ(asking.asked, asking.refused);
  EXPECT_GT(asking.asked, 60);
  EXPECT_THAT(asking.told.back(), HasSubstr("m at http://127.0.0.1:9/v1 does not answer"));
  EXPECT_THAT(asking.told.back(), HasSubstr("min; asked again in 60 s"));
}

TEST(Provider, ACoroutineThatIsDestroyedEndsItsExchange) {
  const kvgen::testing::TempFolder folder;
  const ScriptedPeer peer(folder.path(), {{{"delay", 60}}}, false);
  const auto http = make_curl_http();
  boost::asio::io_context loop;
  bool ended = false;
  const auto ask = [&]() -> Awaitable<void> {
    HttpRequest request;
    request.url = peer.url();
    const auto reply =
        co_await http->post(request, [](const HttpReply&, std::string_view) { return true; });
    ended = reply.ok();
  };
  boost::asio::co_spawn(loop, ask(), boost::asio::detached);
  loop.run_for(std::chrono::milliseconds(300));
  EXPECT_FALSE(ended);
}

}  // namespace
}  // namespace kvgen::generate
