#include "worker/syscall_filter.h"

#include <linux/seccomp.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <span>

namespace kvgen {
namespace {

// By name: a name the installed libseccomp does not know is skipped, and no
// number of another architecture can slip in.
constexpr std::array kNever = {
    // other processes
    "ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "kcmp", "pidfd_getfd",
    "perf_event_open", "setns", "unshare",
    // the kernel
    "bpf", "userfaultfd", "io_uring_setup", "io_uring_enter", "io_uring_register", "keyctl",
    "add_key", "request_key", "init_module", "finit_module", "delete_module", "kexec_load",
    "kexec_file_load", "reboot", "iopl", "ioperm", "modify_ldt", "acct", "syslog", "personality",
    "lookup_dcookie", "quotactl", "quotactl_fd", "swapon", "swapoff", "vhangup",
    // mounts
    "mount", "umount", "umount2", "pivot_root", "chroot", "move_mount", "open_tree", "fsopen",
    "fsconfig", "fsmount", "fspick", "mount_setattr", "name_to_handle_at", "open_by_handle_at",
    "fanotify_init",
    // clocks and names
    "settimeofday", "clock_settime", "clock_adjtime", "adjtimex", "sethostname", "setdomainname"};
constexpr std::array kNetwork = {"socket", "connect", "bind", "listen", "accept", "accept4"};
constexpr std::array kExec = {"execve", "execveat"};
constexpr std::array kFork = {"fork", "vfork"};
constexpr std::uint64_t kNamespaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC |
                                      CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;

struct Release {
  void operator()(scmp_filter_ctx context) const { seccomp_release(context); }
};
using Filter = std::unique_ptr<void, Release>;

int deny(const Filter& filter, std::span<const char* const> names) {
  for (const char* name : names) {
    const int number = seccomp_syscall_resolve_name(name);
    if (number == __NR_SCMP_ERROR) continue;
    const int failed = seccomp_rule_add(filter.get(), SCMP_ACT_ERRNO(EPERM), number, 0);
    if (failed != 0) return failed;
  }
  return 0;
}

// Denies the call when (argument & mask) == value.
int deny_when(const Filter& filter, int call, unsigned argument, std::uint64_t mask,
              std::uint64_t value) {
  const scmp_arg_cmp when{argument, SCMP_CMP_MASKED_EQ, mask, value};
  return seccomp_rule_add_array(filter.get(), SCMP_ACT_ERRNO(EPERM), call, 1, &when);
}

int add_rules(const Filter& filter, const SandboxPolicy& policy) {
  int failed = seccomp_attr_set(filter.get(), SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
  if (failed == 0) failed = deny(filter, kNever);
  if (failed == 0 && !policy.allow_network) failed = deny(filter, kNetwork);
  if (failed == 0 && !policy.allow_exec) failed = deny(filter, kExec);
  if (failed == 0 && !policy.allow_fork) {
    failed = deny(filter, kFork);
    if (failed == 0) {
      failed = deny_when(filter, SCMP_SYS(clone), 0, CLONE_THREAD, 0);
    }
  }
  for (std::uint64_t flag = 1; failed == 0 && flag <= kNamespaces; flag <<= 1U) {
    if ((kNamespaces & flag) != 0) failed = deny_when(filter, SCMP_SYS(clone), 0, flag, flag);
  }
  if (failed == 0) {
    failed = seccomp_rule_add(filter.get(), SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
  }
  if (failed == 0) {
    failed = deny_when(filter, SCMP_SYS(ioctl), 1, 0xffffffffU, TIOCSTI);
  }
  return failed;
}

}  // namespace

bool seccomp_available() {
  std::uint32_t action = SECCOMP_RET_ERRNO;
  return ::syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

Result<void> filter_system_calls(const SandboxPolicy& policy) {
  const Filter filter(seccomp_init(SCMP_ACT_ALLOW));
  if (!filter) return Error(Code::kInternal, "libseccomp cannot make a filter");
  int failed = add_rules(filter, policy);
  if (failed == 0) failed = seccomp_load(filter.get());
  if (failed == 0) return ok();
  return Error(Code::kInternal,
               std::string("the system-call filter cannot be loaded: ") + std::strerror(-failed));
}

}  // namespace kvgen
