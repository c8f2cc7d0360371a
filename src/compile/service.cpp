#include "kvgen/compile/service.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <new>
#include <system_error>
#include <utility>

#include "kvgen/base/fd.h"
#include "kvgen/worker/arena.h"

namespace kvgen {
namespace {

constexpr int kOutOfMemory = 77;  // a child's exit code
constexpr const char* kCanary =
    "__global__ void canary(float* x, int n) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) x[i] += 1.0f;\n"
    "}\n";

// How a child ended.
struct Ending {
  enum class Kind { kAnswered, kTooSlow, kTooMuchCpu, kTooMuchMemory, kTooLarge, kDied };
  Kind kind = Kind::kDied;
  int signal = 0;
  std::int64_t cpu_ms = 0;
  std::string answer;  // JSON
  SharedFd object;
};

std::uint64_t mapped_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::uint64_t pages = 0;
  statm >> pages;
  // Without /proc the parent's size is guessed generously.
  return pages == 0 ? 2ULL << 30 : pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

void limit(int resource, std::uint64_t soft, std::uint64_t hard) {
  const rlimit value{static_cast<rlim_t>(soft), static_cast<rlim_t>(hard)};
  ::setrlimit(static_cast<__rlimit_resource>(resource), &value);
}

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::write(fd, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(done));
  }
  return true;
}

[[noreturn]] void out_of_memory() { ::_exit(kOutOfMemory); }

// The child: compiles, writes the object and the answer, and is gone.
[[noreturn]] void compile_and_exit(CompileEngine& engine, const CompileCall& call,
                                   const CompileLimits& limits, const std::string& folder,
                                   int answer_fd, int object_fd) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::setpgid(0, 0);
  const int null_fd = ::memfd_create("output", MFD_CLOEXEC);
  if (null_fd >= 0) {
    ::dup2(null_fd, STDOUT_FILENO);
    ::dup2(null_fd, STDERR_FILENO);
  }
  if (!folder.empty() &&
      (::setenv("TMPDIR", folder.c_str(), 1) != 0 || ::chdir(folder.c_str()) != 0)) {
    ::_exit(1);
  }
  std::set_new_handler(out_of_memory);
  const std::uint64_t memory = mapped_bytes() + limits.memory_bytes;
  limit(RLIMIT_AS, memory, memory);
  limit(RLIMIT_CORE, 0, 0);
  const auto cpu = static_cast<std::uint64_t>(limits.cpu_s);
  // SIGKILL at once: on SIGXCPU LLVM's handlers remove its temporary files and let it go on, to
  // fail for want of them.
  limit(RLIMIT_CPU, cpu, cpu);
  // A write past this ends the child with SIGXFSZ.
  limit(RLIMIT_FSIZE, limits.object_bytes + (8U << 20), limits.object_bytes + (8U << 20));

  auto compiled = engine.compile(call);
  Json answer;
  if (!compiled.ok()) {
    answer = {{"error", compiled.error().message()}, {"code", to_string(compiled.error().code())}};
  } else {
    if (compiled->object.size() > limits.object_bytes) ::raise(SIGXFSZ);
    if (!write_all(object_fd, compiled->object)) ::_exit(1);
    answer = {{"build", to_json(compiled->build)}};
  }
  ::_exit(write_all(answer_fd, to_line(answer)) ? 0 : 1);
}

std::int64_t now_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// Reads the answer until the child closes it; false past the deadline.
bool read_answer(int fd, std::int64_t deadline_ms, std::string& answer) {
  char buffer[65536];
  while (true) {
    const std::int64_t left = deadline_ms - now_ms();
    if (left <= 0) return false;
    pollfd wait{fd, POLLIN, 0};
    const int ready = ::poll(&wait, 1, static_cast<int>(left));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return false;
    const ssize_t got = ::read(fd, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return true;
    answer.append(buffer, static_cast<std::size_t>(got));
  }
}

// A folder that is gone, with all that was written in it, when this is.
class ScratchFolder {
 public:
  static Result<ScratchFolder> make(const std::filesystem::path& parent) {
    if (parent.empty()) return ScratchFolder("");
    std::string path = (parent / "compile-XXXXXX").string();
    if (::mkdtemp(path.data()) == nullptr) {
      return Error(Code::kFull, std::string("no folder for a compile: ") + strerror(errno));
    }
    return ScratchFolder(std::move(path));
  }
  ~ScratchFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(ScratchFolder&& other) noexcept : path_(std::exchange(other.path_, "")) {}
  ScratchFolder& operator=(ScratchFolder&&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  explicit ScratchFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

Result<Ending> run_child(CompileEngine& engine, const CompileCall& call,
                         const CompileLimits& limits) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    return Error(Code::kFull, std::string("no pipe for a compile: ") + strerror(errno));
  }
  UniqueFd answer_in(ends[0]);
  UniqueFd answer_out(ends[1]);
  UniqueFd object(::memfd_create("object", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!object.valid()) {
    return Error(Code::kFull, std::string("no memory file for an object: ") + strerror(errno));
  }
  TRY(const ScratchFolder folder, ScratchFolder::make(limits.scratch));
  const pid_t child = ::fork();
  if (child < 0) {
    return Error(Code::kFull, std::string("no process for a compile: ") + strerror(errno))
        .set_retryable();
  }
  if (child == 0) {
    compile_and_exit(engine, call, limits, folder.path(), answer_out.get(), object.get());
  }
  answer_out.reset();
  Ending ending;
  const bool in_time = read_answer(answer_in.get(), now_ms() + limits.wall_ms, ending.answer);
  ::kill(-child, SIGKILL);
  if (!in_time) ::kill(child, SIGKILL);
  int status = 0;
  rusage used{};
  while (::wait4(child, &status, 0, &used) < 0 && errno == EINTR) {
  }
  ending.cpu_ms = (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000L +
                  (used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1000L;
  if (!in_time) {
    ending.kind = Ending::Kind::kTooSlow;
  } else if (WIFEXITED(status) && WEXITSTATUS(status) == kOutOfMemory) {
    ending.kind = Ending::Kind::kTooMuchMemory;
  } else if (WIFSIGNALED(status)) {
    ending.signal = WTERMSIG(status);
    // The limit is held against ticks, `cpu_ms` is exact: on a busy machine they differ.
    const bool spent = ending.signal == SIGKILL && ending.cpu_ms * 2 >= limits.cpu_s * 1000;
    ending.kind = spent                      ? Ending::Kind::kTooMuchCpu
                  : ending.signal == SIGXFSZ ? Ending::Kind::kTooLarge
                                             : Ending::Kind::kDied;
  } else if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
    ending.kind = Ending::Kind::kAnswered;
    ::fcntl(object.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL);
    ending.object = share(std::move(object));
  }
  return ending;
}

std::string reason_of(const Ending& ending, const CompileLimits& limits) {
  switch (ending.kind) {
    case Ending::Kind::kTooSlow:
    case Ending::Kind::kTooMuchCpu:
      return "compiling it takes too much time (more than " + std::to_string(limits.cpu_s) + " s)";
    case Ending::Kind::kTooMuchMemory:
      return "compiling it takes too much memory (more than " +
             std::to_string(limits.memory_bytes >> 20) + " MiB)";
    case Ending::Kind::kTooLarge:
      return "its object is larger than " + std::to_string(limits.object_bytes >> 20) + " MiB";
    default:
      break;
  }
  if (ending.signal == 0) return "the compiler gave up on it";
  if (ending.signal == SIGSEGV) {
    return "the compiler crashed on it (SIGSEGV; often something nested or chained too deep)";
  }
  return "the compiler crashed on it (signal " + std::to_string(ending.signal) + ")";
}

Result<Message> answer_of(Ending ending) {
  TRY(const Json json, parse_json(ending.answer, {.bytes = 256UL << 20, .depth = 64}));
  Fields fields(json, "the compiler's answer");
  const auto error = fields.maybe<std::string>("error");
  const auto code = fields.get_or<std::string>("code", "");
  const auto build = fields.maybe<Json>("build");
  TRY_VOID(fields.finish());
  if (error) {
    return Error(code == to_string(Code::kMissing) ? Code::kMissing : Code::kInternal, *error);
  }
  if (!build) return Error(Code::kInternal, "the compiler's answer holds no build");
  TRY(CompileAnswer answer, compile_answer_from({{"build", *build}}));
  Message message{to_json(answer), {}};
  if (answer.build.usable()) message.fds.push_back(std::move(ending.object));
  return message;
}

}  // namespace

Message CompileService::refuse(const CompileCall& call, const std::string& reason) const {
  Build build;
  build.target = call.target;
  build.compiler = engine_.compiler();
  build.compiler_version = engine_.compiler_version();
  build.failure = Outcome{OutcomeKind::kCompileError, Stage::kCompile, reason};
  return {to_json(CompileAnswer{std::move(build)}), {}};
}

Result<Message> CompileService::attempt(const CompileCall& call) {
  TRY(Ending ending, run_child(engine_, call, limits_));
  if (ending.kind == Ending::Kind::kAnswered) return answer_of(std::move(ending));
  return refuse(call, reason_of(ending, limits_));
}

Result<Message> CompileService::compile(const CompileCall& call) {
  if (call.source.size() > limits_.source_bytes) {
    return refuse(
        call, "its source is larger than " + std::to_string(limits_.source_bytes >> 10) + " KiB");
  }
  TRY(Ending ending, run_child(engine_, call, limits_));
  if (ending.kind == Ending::Kind::kAnswered) return answer_of(std::move(ending));

  const CompileCall canary{kCanary, call.target, {"canary"}};
  TRY(Ending proof, run_child(engine_, canary, limits_));
  const bool sound = proof.kind == Ending::Kind::kAnswered && answer_of(std::move(proof)).ok();
  if (!sound) {
    return Error(Code::kWorker,
                 "the compiler fails on a known-good kernel too: this machine, not "
                 "the candidate")
        .set_retryable();
  }
  // A child that hardly ran was starved by this machine.
  if (ending.kind == Ending::Kind::kTooSlow && ending.cpu_ms < limits_.cpu_s * 1000 / 4) {
    return Error(Code::kTimeout, "a compile got only " + std::to_string(ending.cpu_ms) +
                                     " ms of CPU in " + std::to_string(limits_.wall_ms) + " ms")
        .set_retryable();
  }
  return refuse(call, reason_of(ending, limits_));
}

Result<Message> CompileService::handle(const std::string& op, Message body) {
  if (op != "compile") {
    return Error(Code::kInvalid, "kvgen-" + engine_.compiler() + " knows no op \"" + op + "\"");
  }
  TRY(const CompileCall call, compile_call_from(body.json));
  return compile(call);
}

}  // namespace kvgen
