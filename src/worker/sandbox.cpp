#include "kvgen/worker/sandbox.h"

#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "worker/landlock.h"
#include "worker/syscall_filter.h"

namespace kvgen {
namespace {

Error refused(std::string_view what) {
  return {Code::kInternal, std::string(what) + ": " + std::strerror(errno)};
}

bool namespaces_work() {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(::unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0 ? 0 : 1);
  if (child < 0) return false;
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return false;
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

Result<void> require_one_thread() {
  std::error_code code;
  const std::filesystem::directory_iterator tasks("/proc/self/task", code);
  if (code) return ok();  // no /proc here: nobody can tell
  if (std::distance(begin(tasks), end(tasks)) <= 1) return ok();
  return Error(Code::kInternal, "the sandbox must be entered before threads are started");
}

Result<void> limit(int resource, std::string_view name, std::uint64_t most) {
  struct rlimit now{};
  if (::getrlimit(static_cast<__rlimit_resource>(resource), &now) != 0) return refused(name);
  // Never above what was inherited: raising is not ours to do.
  const rlim_t value = std::min<rlim_t>(now.rlim_max, most);
  const struct rlimit wanted{value, value};
  if (::setrlimit(static_cast<__rlimit_resource>(resource), &wanted) != 0) return refused(name);
  return ok();
}

Result<void> limit_resources(const SandboxPolicy& policy) {
  TRY_VOID(limit(RLIMIT_CORE, "limit of core files", 0));
  TRY_VOID(limit(RLIMIT_FSIZE, "limit of a file's size", policy.file_bytes));
  TRY_VOID(limit(RLIMIT_NOFILE, "limit of open files", policy.open_files));
  if (policy.address_space_bytes != 0) {
    TRY_VOID(limit(RLIMIT_AS, "limit of memory", policy.address_space_bytes));
  }
  return ok();
}

}  // namespace

SandboxFacilities probe_sandbox() {
  SandboxFacilities facilities;
  facilities.landlock_abi = landlock_abi();
  facilities.seccomp = seccomp_available();
  facilities.user_namespaces = namespaces_work();
  if (facilities.landlock_abi == 0) {
    facilities.lacking.emplace_back(
        "Landlock: not in this kernel or not enabled (boot with lsm=landlock,...); workers can "
        "read every file that you can");
  } else if (facilities.landlock_abi < 3) {
    facilities.lacking.emplace_back(
        "Landlock's truncation rights: kernel 6.2 or later has them; workers could truncate "
        "files that you can write");
  }
  if (!facilities.seccomp) {
    facilities.lacking.emplace_back(
        "seccomp filters: not in this kernel; workers can make every system call");
  }
  if (!facilities.user_namespaces) {
    facilities.lacking.emplace_back(
        "user namespaces: refused here (containers often do); captured modules run without a "
        "network namespace of their own");
  }
  return facilities;
}

Json to_json(const SandboxFacilities& facilities) {
  return {{"landlock_abi", facilities.landlock_abi},
          {"seccomp", facilities.seccomp},
          {"user_namespaces", facilities.user_namespaces},
          {"lacking", facilities.lacking}};
}

Json to_json(const SandboxReport& report) {
  return {{"landlock_abi", report.landlock_abi},
          {"files_closed", report.files_closed},
          {"tcp_closed", report.tcp_closed},
          {"syscalls_filtered", report.syscalls_filtered},
          {"gaps", report.gaps}};
}

std::vector<std::filesystem::path> system_files() {
  return {"/lib",
          "/lib64",
          "/usr/lib",
          "/usr/lib64",
          "/usr/local/lib",
          "/opt/rocm",
          "/etc/ld.so.cache",
          "/etc/localtime",
          "/proc/self",
          "/proc/cpuinfo",
          "/proc/meminfo",
          "/proc/stat",
          "/sys/devices/system",
          "/sys/fs/cgroup",
          "/dev/null",
          "/dev/zero",
          "/dev/urandom"};
}

Result<SandboxReport> enter_sandbox(const SandboxPolicy& policy) {
  TRY_VOID(require_one_thread());
  if (policy.die_with_parent && ::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) {
    return refused("cannot ask to die with the parent");
  }
  TRY_VOID(limit_resources(policy));
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return refused("cannot give up privileges");

  SandboxReport report;
  report.landlock_abi = landlock_abi();
  if (report.landlock_abi > 0) {
    TRY_VOID(restrict_by_landlock(policy, report.landlock_abi));
    report.files_closed = true;
    report.tcp_closed = report.landlock_abi >= 4 && !policy.allow_network;
  } else {
    report.gaps.emplace_back("no Landlock: the file system stays open");
  }
  if (seccomp_available()) {
    TRY_VOID(filter_system_calls(policy));
    report.syscalls_filtered = true;
  } else {
    report.gaps.emplace_back("no seccomp: every system call stays open");
  }
  return report;
}

}  // namespace kvgen
