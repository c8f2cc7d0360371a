#include "pool/spawn.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "kvgen/base/files.h"
#include "kvgen/worker/serve.h"

namespace kvgen::pool {
namespace {

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> list;
  for (const std::string& text : texts) list.push_back(const_cast<char*>(text.c_str()));
  list.push_back(nullptr);
  return list;
}

// Between fork and exec: only async-signal-safe calls.
[[noreturn]] void become(const char* program, char* const* argv, char* const* envp, int socket,
                         int log, const char* folder, pid_t parent) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);
  const int null = ::open("/dev/null", O_RDWR);
  ::dup2(null, 0);
  ::dup2(log >= 0 ? log : null, 1);
  ::dup2(log >= 0 ? log : null, 2);
  if (socket == kWorkerSocket) {
    ::fcntl(socket, F_SETFD, 0);
  } else {
    ::dup2(socket, kWorkerSocket);
  }
  ::close_range(kWorkerSocket + 1, ~0U, 0);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::signal(SIGPIPE, SIG_DFL);
  ::signal(SIGINT, SIG_IGN);  // Ctrl-C is for kvgen, which stops its workers itself
  if (::chdir(folder) != 0) ::_exit(127);
  ::execve(program, argv, envp);
  ::_exit(126);
}

}  // namespace

Result<Child> spawn(const WorkerCommand& command) {
  if (::access(command.program.c_str(), X_OK) != 0) {
    return Error(Code::kMissing, "the worker program " + command.program.string() +
                                     " is missing; build kvgen again (kvgen doctor lists what "
                                     "is there)");
  }
  std::error_code code;
  std::filesystem::create_directories(command.scratch, code);
  std::string folder = (command.scratch / (command.name + "-XXXXXX")).string();
  if (::mkdtemp(folder.data()) == nullptr) {
    return io_error("cannot create a working folder in", command.scratch, errno);
  }
  int pair[2] = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
    return Error(Code::kFull, std::string("cannot create a socket pair: ") + std::strerror(errno));
  }
  UniqueFd ours(pair[0]);
  const UniqueFd theirs(pair[1]);
  ::fcntl(ours.get(), F_SETFL, ::fcntl(ours.get(), F_GETFL) | O_NONBLOCK);
  const UniqueFd log(command.log.empty() ? -1
                                         : ::open(command.log.c_str(),
                                                  O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  std::vector<std::string> arguments = {command.program.string()};
  arguments.insert(arguments.end(), command.arguments.begin(), command.arguments.end());
  std::vector<std::string> environment = command.environment;
  environment.push_back("TMPDIR=" + folder);
  environment.push_back("HOME=" + folder);
  const auto argv = pointers(arguments);
  const auto envp = pointers(environment);
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) {
    Error error(Code::kFull, std::string("cannot start another process: ") + std::strerror(errno));
    error.set_retryable();
    return error;
  }
  if (pid == 0) {
    become(command.program.c_str(), argv.data(), envp.data(), theirs.get(), log.get(),
           folder.c_str(), parent);
  }
  ::setpgid(pid, pid);
  return Child{pid, std::move(ours), folder};
}

std::string end_child(pid_t pid, const std::filesystem::path& folder) {
  // What it died of, if it is dead already; killing must not hide that.
  int status = 0;
  const bool dead = ::waitpid(pid, &status, WNOHANG) == pid;
  ::kill(-pid, SIGKILL);
  if (!dead) {
    ::kill(pid, SIGKILL);
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
  }
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  if (WIFSIGNALED(status)) {
    const char* name = ::sigabbrev_np(WTERMSIG(status));
    return std::string("killed by SIG") + (name != nullptr ? name : "?");
  }
  return "exit code " + std::to_string(WEXITSTATUS(status));
}

}  // namespace kvgen::pool
