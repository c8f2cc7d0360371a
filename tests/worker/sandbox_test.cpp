#include "kvgen/worker/sandbox.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <linux/keyctl.h>
#include <netinet/in.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <fstream>
#include <functional>
#include <thread>

namespace kvgen {
namespace {

namespace fs = std::filesystem;

// What the sandboxed child does; its result is the child's exit code.
using Deed = std::function<int()>;
constexpr int kEntered = 0;
constexpr int kCannotEnter = 250;

class Sandbox : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "kvgen-sandbox-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    root_ = pattern;
    fs::create_directories(root_ / "open");
    fs::create_directories(root_ / "own");
    fs::create_directories(root_ / "closed");
    std::ofstream(root_ / "open" / "a.txt") << "hello";
    std::ofstream(root_ / "closed" / "secret.txt") << "expected values";
    policy_.readable = system_files();
    policy_.readable.push_back(root_ / "open");
    policy_.writable = {root_ / "own"};
  }
  void TearDown() override { fs::remove_all(root_); }

  // Runs the deed in a forked child that entered the sandbox.
  int inside(const Deed& deed) const {
    const pid_t child = ::fork();
    if (child == 0) {
      if (!enter_sandbox(policy_).ok()) ::_exit(kCannotEnter);
      ::_exit(deed());
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
  }

  int open_inside(const fs::path& path, int flags) const {
    return inside([&] { return ::open(path.c_str(), flags, 0600) >= 0 ? 0 : errno; });
  }

  fs::path root_;
  SandboxPolicy policy_;
};

class SandboxFiles : public Sandbox {
 protected:
  void SetUp() override {
    Sandbox::SetUp();
    if (probe_sandbox().landlock_abi == 0) GTEST_SKIP() << "this kernel has no Landlock";
  }
};

TEST_F(SandboxFiles, AnAllowedFolderIsReadAndNothingOutside) {
  EXPECT_EQ(open_inside(root_ / "open" / "a.txt", O_RDONLY), kEntered);
  EXPECT_EQ(open_inside(root_ / "closed" / "secret.txt", O_RDONLY), EACCES);
  EXPECT_EQ(open_inside("/etc/passwd", O_RDONLY), EACCES);
  EXPECT_EQ(open_inside(root_ / "closed", O_RDONLY | O_DIRECTORY), EACCES);
}

TEST_F(SandboxFiles, OnlyTheOwnFolderIsWritten) {
  EXPECT_EQ(open_inside(root_ / "own" / "x", O_WRONLY | O_CREAT), kEntered);
  EXPECT_EQ(open_inside(root_ / "open" / "a.txt", O_WRONLY), EACCES);
  EXPECT_EQ(open_inside(root_ / "open" / "new.txt", O_WRONLY | O_CREAT), EACCES);
  EXPECT_EQ(inside([&] { return ::unlink((root_ / "open" / "a.txt").c_str()) == 0 ? 0 : errno; }),
            EACCES);
  EXPECT_EQ(inside([&] { return ::truncate((root_ / "open" / "a.txt").c_str(), 0) == 0; }), 0);
}

TEST_F(SandboxFiles, AMissingReadableFolderGrantsNothingAndAMissingWritableOneIsTold) {
  policy_.readable.push_back(root_ / "nowhere");
  EXPECT_EQ(inside([] { return 0; }), kEntered);
  policy_.writable.push_back(root_ / "nowhere");
  EXPECT_EQ(inside([] { return 0; }), kCannotEnter);
}

TEST_F(SandboxFiles, AForkedChildMayCloseItselfInFurther) {
  EXPECT_EQ(inside([&]() -> int {
              SandboxPolicy narrower = policy_;
              narrower.readable = {};
              narrower.writable = {};
              narrower.allow_fork = false;
              const pid_t child = ::fork();
              if (child < 0) return 101;
              if (child == 0) {
                if (!enter_sandbox(narrower).ok()) ::_exit(kCannotEnter);
                if (::open((root_ / "open" / "a.txt").c_str(), O_RDONLY) >= 0) ::_exit(102);
                ::_exit(::fork() < 0 ? 0 : 103);
              }
              int status = 0;
              ::waitpid(child, &status, 0);
              return WEXITSTATUS(status);
            }),
            kEntered);
}

TEST_F(SandboxFiles, SignalsDoNotReachTheOutsideWhereTheKernelCanStopThem) {
  if (probe_sandbox().landlock_abi < 6) GTEST_SKIP() << "Landlock ABI 6 closes signals";
  const pid_t outside = ::getpid();
  EXPECT_EQ(inside([&] { return ::kill(outside, 0) == 0 ? 0 : errno; }), EPERM);
}

TEST_F(Sandbox, NoSocketIsMade) {
  EXPECT_EQ(inside([] { return ::socket(AF_INET, SOCK_STREAM, 0) >= 0 ? 0 : errno; }), EPERM);
  EXPECT_EQ(inside([] { return ::socket(AF_UNIX, SOCK_STREAM, 0) >= 0 ? 0 : errno; }), EPERM);
}

TEST_F(Sandbox, TheInheritedSocketGoesOnWorking) {
  int ends[2] = {-1, -1};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  EXPECT_EQ(inside([&] { return ::send(ends[1], "hi", 2, MSG_NOSIGNAL) == 2 ? 0 : errno; }), 0);
  char got[2] = {};
  EXPECT_EQ(::recv(ends[0], got, 2, 0), 2);
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_F(Sandbox, NothingIsExecuted) {
  char* const arguments[] = {nullptr};
  EXPECT_EQ(inside([&] { return ::execve("/bin/true", arguments, arguments) == 0 ? 0 : errno; }),
            EPERM);
}

TEST_F(Sandbox, ExecutingIsPossibleWhereAllowed) {
  policy_.allow_exec = true;
  policy_.readable.emplace_back("/bin");
  policy_.readable.emplace_back("/usr/bin");
  char* const arguments[] = {const_cast<char*>("true"), nullptr};
  EXPECT_EQ(inside([&] {
              ::execve("/bin/true", arguments, arguments + 1);
              return errno;
            }),
            0);
}

struct Call {
  const char* name;
  long number;
};

class DeniedCall : public Sandbox, public ::testing::WithParamInterface<Call> {};

TEST_P(DeniedCall, IsRefused) {
  EXPECT_EQ(inside([] { return ::syscall(GetParam().number, 0, 0, 0, 0, 0, 0) >= 0 ? 0 : errno; }),
            EPERM);
}

INSTANTIATE_TEST_SUITE_P(
    Sandbox, DeniedCall,
    ::testing::Values(Call{"ptrace", SYS_ptrace}, Call{"process_vm_readv", SYS_process_vm_readv},
                      Call{"process_vm_writev", SYS_process_vm_writev}, Call{"mount", SYS_mount},
                      Call{"keyctl", SYS_keyctl}, Call{"bpf", SYS_bpf},
                      Call{"perf_event_open", SYS_perf_event_open}, Call{"unshare", SYS_unshare},
                      Call{"userfaultfd", SYS_userfaultfd}, Call{"io_uring", SYS_io_uring_setup},
                      Call{"connect", SYS_connect}, Call{"execveat", SYS_execveat}),
    [](const auto& info) { return std::string(info.param.name); });

TEST_F(Sandbox, ThreadsAndForksWork) {
  EXPECT_EQ(inside([] {
              int sum = 0;
              std::thread([&] { sum += 1; }).join();
              const pid_t child = ::fork();
              if (child == 0) {
                std::thread([] {}).join();
                ::_exit(0);
              }
              int status = 1;
              ::waitpid(child, &status, 0);
              return child > 0 && status == 0 && sum == 1 ? 0 : 1;
            }),
            0);
}

TEST_F(Sandbox, WithoutForksThreadsStillWork) {
  policy_.allow_fork = false;
  EXPECT_EQ(inside([] {
              std::thread([] {}).join();
              return ::fork() < 0 ? errno : 0;
            }),
            EPERM);
}

TEST_F(Sandbox, LimitsHold) {
  policy_.address_space_bytes = 1UL << 30;
  policy_.open_files = 16;
  EXPECT_EQ(inside([] {
              struct rlimit core{}, files{}, memory{};
              ::getrlimit(RLIMIT_CORE, &core);
              ::getrlimit(RLIMIT_NOFILE, &files);
              ::getrlimit(RLIMIT_AS, &memory);
              return core.rlim_max == 0 && files.rlim_max == 16 && memory.rlim_max == 1UL << 30 ? 0
                                                                                                : 1;
            }),
            0);
}

TEST_F(Sandbox, ItRefusesToBeEnteredAmongThreads) {
  const pid_t child = ::fork();
  if (child == 0) {
    std::thread other([] { ::pause(); });
    const auto entered = enter_sandbox(policy_);
    ::_exit(!entered.ok() && entered.error().code() == Code::kInternal ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST_F(Sandbox, AWorkerDiesWithItsParent) {
  int pipe_ends[2] = {-1, -1};
  ASSERT_EQ(::pipe(pipe_ends), 0);
  const pid_t parent = ::fork();
  if (parent == 0) {
    if (::fork() == 0) {
      if (!enter_sandbox(policy_).ok() || ::write(pipe_ends[1], "r", 1) != 1) ::_exit(1);
      while (true) ::pause();
    }
    while (true) ::pause();
  }
  ::close(pipe_ends[1]);
  char byte = 0;
  ASSERT_EQ(::read(pipe_ends[0], &byte, 1), 1);
  ::kill(parent, SIGKILL);
  ::waitpid(parent, nullptr, 0);
  // The grandchild holds the last writing end: end of file means that it is gone.
  EXPECT_EQ(::read(pipe_ends[0], &byte, 1), 0);
  ::close(pipe_ends[0]);
}

TEST_F(Sandbox, TheReportSaysWhatIsInForce) {
  const SandboxFacilities here = probe_sandbox();
  EXPECT_EQ(inside([&] {
              const auto report = enter_sandbox(policy_);
              return report.ok() && report->files_closed == (here.landlock_abi > 0) &&
                             report->syscalls_filtered == here.seccomp
                         ? 0
                         : 1;
            }),
            0);
  EXPECT_EQ(to_json(here).at("landlock_abi"), here.landlock_abi);
}

}  // namespace
}  // namespace kvgen
