#include "kvgen/worker/frame.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <thread>

#include "kvgen/worker/arena.h"
#include "kvgen/worker/serve.h"

namespace kvgen {
namespace {

using ::testing::HasSubstr;

std::string u32(std::uint32_t value) {
  std::string bytes(4, '\0');
  for (unsigned i = 0; i < 4; ++i) bytes[i] = static_cast<char>(value >> (8 * i));
  return bytes;
}

std::string frame(const std::string& text, std::uint32_t fds = 0) {
  return u32(static_cast<std::uint32_t>(text.size())) + u32(fds) + text;
}

class FrameTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::array<int, 2> ends{-1, -1};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends.data()), 0);
    here_ = UniqueFd(ends[0]);
    there_ = UniqueFd(ends[1]);
  }
  void send(const std::string& bytes) {
    ASSERT_EQ(::send(there_.get(), bytes.data(), bytes.size(), 0),
              static_cast<ssize_t>(bytes.size()));
  }
  void send_with_fds(const std::string& bytes, int count) {
    std::array<char, CMSG_SPACE(sizeof(int) * 64)> control{};
    std::vector<int> fds(static_cast<std::size_t>(count), here_.get());
    iovec part{const_cast<char*>(bytes.data()), bytes.size()};
    msghdr header{};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    header.msg_control = control.data();
    header.msg_controllen = CMSG_SPACE(sizeof(int) * fds.size());
    cmsghdr* rights = CMSG_FIRSTHDR(&header);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(sizeof(int) * fds.size());
    std::memcpy(CMSG_DATA(rights), fds.data(), sizeof(int) * fds.size());
    ASSERT_EQ(::sendmsg(there_.get(), &header, 0), static_cast<ssize_t>(bytes.size()));
  }
  Result<Progress> read() { return reader_.read_from(here_.get()); }

  UniqueFd here_;
  UniqueFd there_;
  FrameReader reader_;
};

TEST_F(FrameTest, AMessageAndItsDescriptorsArrive) {
  const auto blob = sealed_blob("test", "payload");
  ASSERT_TRUE(blob.ok());
  FrameWriter writer({{{"op", "x"}}, {*blob, *blob}});
  EXPECT_EQ(*writer.write_to(there_.get()), Progress::kDone);
  EXPECT_EQ(*read(), Progress::kDone);
  const Message message = reader_.take();
  EXPECT_EQ(message.json, Json({{"op", "x"}}));
  ASSERT_EQ(message.fds.size(), 2U);
  EXPECT_EQ(*read_blob(*message.fds[1], 100), "payload");
  EXPECT_NE(::fcntl(message.fds[0]->get(), F_GETFD) & FD_CLOEXEC, 0);
}

TEST_F(FrameTest, MessagesBehindEachOtherAreTakenOneByOne) {
  send(frame("1") + frame("[2]") + frame("{\"a\""));
  EXPECT_EQ(*read(), Progress::kDone);
  EXPECT_EQ(reader_.take().json, Json(1));
  EXPECT_EQ(*read(), Progress::kDone);
  EXPECT_EQ(reader_.take().json, Json::array({2}));
  EXPECT_FALSE(read().ok()) << "the third is torn JSON";
}

TEST_F(FrameTest, AMessageMayComeByteByByte) {
  const std::string bytes = frame(R"({"a": [1, 2, 3]})");
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    EXPECT_EQ(*read(), Progress::kAgain);
    send(bytes.substr(i, 1));
  }
  EXPECT_EQ(*read(), Progress::kDone);
}

TEST_F(FrameTest, ALargeMessageWaitsForAFullSocket) {
  const std::string text(8 << 20, 'x');
  FrameWriter writer({text, {}});
  int waits = 0;
  Progress sent = *writer.write_to(there_.get());
  Progress got = Progress::kAgain;
  while (sent != Progress::kDone || got != Progress::kDone) {
    ASSERT_LT(++waits, 100'000);
    if (got != Progress::kDone) got = *read();
    if (sent != Progress::kDone) sent = *writer.write_to(there_.get());
  }
  EXPECT_EQ(reader_.take().json.get<std::string>(), text);
  EXPECT_GT(waits, 1);
}

TEST_F(FrameTest, TheEndBetweenMessagesIsNoError) {
  send(frame("1"));
  there_.reset();
  EXPECT_EQ(*read(), Progress::kDone);
  reader_.take();
  EXPECT_EQ(*read(), Progress::kClosed);
}

TEST_F(FrameTest, WritingToADeadPeerIsToldWithoutASignal) {
  here_.reset();
  FrameWriter writer({"x", {}});
  EXPECT_EQ(*writer.write_to(there_.get()), Progress::kClosed);
}

struct LieRow {
  const char* name;
  std::string bytes;
  bool closed;  // by the peer, behind the bytes
  const char* says;
};

TEST_F(FrameTest, LyingAndTornFramesAreBroken) {
  const LieRow rows[] = {
      {"torn header", u32(5), true, "ended inside"},
      {"torn text", u32(10) + u32(0) + "{\"a\"", true, "ended inside"},
      {"too large", u32(kFrameBytesLimit + 1) + u32(0), false, "too large"},
      {"largest number", u32(0xffffffff) + u32(0), false, "too large"},
      {"fewer descriptors than told", frame("1", 1), false, "descriptors were lost"},
      {"absurd count", frame("1", 0xffffffff), false, "descriptors were lost"},
      {"no text", frame(""), false, "broken"},
      {"two values", frame("1 2"), false, "broken"},
      {"duplicate key", frame(R"({"a":1,"a":2})"), false, "stands twice"},
      {"too deep", frame(std::string(100, '[') + std::string(100, ']')), false, "deeper"},
      {"bad text", frame("\"\xff\""), false, "UTF-8"},
  };
  for (const LieRow& row : rows) {
    SetUp();
    reader_ = {};
    send(row.bytes);
    if (row.closed) there_.reset();
    const auto got = read();
    ASSERT_FALSE(got.ok()) << row.name;
    EXPECT_EQ(got.error().code(), Code::kWorker) << row.name;
    EXPECT_TRUE(got.error().retryable()) << "a fresh worker may behave: " << row.name;
    EXPECT_THAT(got.error().message(), HasSubstr(row.says)) << row.name;
  }
}

TEST_F(FrameTest, MoreDescriptorsThanToldOrAllowedAreBroken) {
  send_with_fds(frame("1", 1), 2);
  EXPECT_FALSE(read().ok());
  SetUp();
  reader_ = {};
  send_with_fds(frame("1", 40), 40);
  EXPECT_FALSE(read().ok());
}

TEST_F(FrameTest, ALyingPeerLeaksNoDescriptors) {
  const auto open_now = [] {
    int count = 0;
    for (int fd = 0; fd < 256; ++fd) count += ::fcntl(fd, F_GETFD) >= 0 ? 1 : 0;
    return count;
  };
  const int before = open_now();
  {
    FrameReader reader;
    send_with_fds(frame("1", 1), 9);
    EXPECT_FALSE(reader.read_from(here_.get()).ok());
  }
  EXPECT_EQ(open_now(), before);
}

TEST_F(FrameTest, TooManyDescriptorsAreNotSent) {
  const auto blob = sealed_blob("test", "x");
  FrameWriter writer({"x", std::vector<SharedFd>(kFrameFdsLimit + 1, *blob)});
  EXPECT_EQ(writer.write_to(there_.get()).error().code(), Code::kInvalid);
}

// ---- serving ---------------------------------------------------------------------

class ServeTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::array<int, 2> ends{-1, -1};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
    here_ = UniqueFd(ends[0]);
    worker_ = std::thread([this, fd = ends[1]] {
      const UniqueFd socket(fd);
      code_ = serve(fd, {{"version", 1}}, [](const std::string& op, Message body) {
        if (op == "throw") throw std::runtime_error("oops");
        if (op == "fail") {
          Error full(Code::kFull, "no room");
          return Result<Message>(full.set_retryable());
        }
        return Result<Message>(Message{{{"op", op}, {"got", body.json}}, body.fds});
      });
    });
  }
  void TearDown() override {
    here_.reset();
    worker_.join();
  }
  Result<Message> ask(const Message& request) {
    FrameWriter writer(request);
    TRY_VOID(writer.write_to(here_.get()));
    FrameReader reader;
    TRY(const Progress got, reader.read_from(here_.get()));
    if (got != Progress::kDone) return Error(Code::kWorker, "closed");
    return open_reply(reader.take());
  }

  UniqueFd here_;
  std::thread worker_;
  int code_ = -1;
};

TEST_F(ServeTest, AnswersErrorsAndExceptionsAndGoesOn) {
  const auto blob = sealed_blob("test", "x");
  const auto echoed = ask(request_message("echo", {{{"a", 1}}, {*blob}}));
  ASSERT_TRUE(echoed.ok()) << echoed.error().message();
  EXPECT_EQ(echoed->json.at("got"), Json({{"a", 1}}));
  EXPECT_EQ(echoed->fds.size(), 1U);

  const auto full = ask(request_message("fail", {Json::object(), {}}));
  ASSERT_FALSE(full.ok());
  EXPECT_EQ(full.error().code(), Code::kFull);
  EXPECT_EQ(full.error().message(), "no room");
  EXPECT_TRUE(full.error().retryable());

  const auto thrown = ask(request_message("throw", {Json::object(), {}}));
  ASSERT_FALSE(thrown.ok());
  EXPECT_EQ(thrown.error().code(), Code::kInternal);
  EXPECT_THAT(thrown.error().message(), HasSubstr("oops"));

  const auto strange = ask({{{"opp", "x"}}, {}});
  ASSERT_FALSE(strange.ok());
  EXPECT_EQ(strange.error().code(), Code::kInvalid);

  const auto hello = ask(request_message("ping", {Json::object(), {}}));
  ASSERT_TRUE(hello.ok());
  EXPECT_EQ(hello->json.at("hello"), Json({{"version", 1}}));
  EXPECT_EQ(hello->json.at("pid"), ::getpid());
}

TEST_F(ServeTest, ALyingFrameEndsTheWorker) {
  const std::string lie = u32(0xffffffff) + u32(0);
  ASSERT_EQ(::send(here_.get(), lie.data(), lie.size(), 0), 8);
  char byte = 0;
  EXPECT_EQ(::recv(here_.get(), &byte, 1, 0), 0) << "it closed its end";
}

TEST(OpenReply, RefusesWhatIsNoReply) {
  for (const char* text :
       {"[]", "{}", R"({"ok": 1})", R"({"ok": false})", R"({"ok": false, "error": {"code": "io"}})",
        R"({"ok": true, "body": {}, "more": 1})"}) {
    EXPECT_FALSE(open_reply({Json::parse(text), {}}).ok()) << text;
  }
}

}  // namespace
}  // namespace kvgen
