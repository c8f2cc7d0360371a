#include "device/cpu/jail.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

namespace kvgen {
namespace {

class Filter {
 public:
  Filter() {
    load(offsetof(seccomp_data, arch));
    skip_unless(BPF_JEQ, AUDIT_ARCH_X86_64, 0, 1);
    add(BPF_JMP | BPF_JA, 1);
    verdict(SECCOMP_RET_KILL_PROCESS);
    load(offsetof(seccomp_data, nr));
  }

  void allow(long call) { answer(call, SECCOMP_RET_ALLOW); }
  void fail(long call, int error) {
    answer(call, SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error));
  }

  // Allowed when the 32-bit argument equals the value, otherwise fatal.
  void allow_when(long call, unsigned argument, std::uint32_t value) {
    skip_unless(BPF_JEQ, static_cast<std::uint32_t>(call), 0, 4);
    load(offsetof(seccomp_data, args) + 8 * argument);
    skip_unless(BPF_JEQ, value, 0, 1);
    verdict(SECCOMP_RET_ALLOW);
    verdict(SECCOMP_RET_KILL_PROCESS);
  }

  bool install() {
    verdict(SECCOMP_RET_KILL_PROCESS);
    const sock_fprog program{static_cast<unsigned short>(code_.size()), code_.data()};
    return ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) ==
           0;
  }

 private:
  void add(int code, std::uint32_t value, int yes = 0, int no = 0) {
    code_.push_back({static_cast<std::uint16_t>(code), static_cast<std::uint8_t>(yes),
                     static_cast<std::uint8_t>(no), value});
  }
  void load(std::size_t offset) {
    add(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset));
  }
  void skip_unless(int test, std::uint32_t value, int yes, int no) {
    add(BPF_JMP | test | BPF_K, value, yes, no);
  }
  void verdict(std::uint32_t action) { add(BPF_RET | BPF_K, action); }
  void answer(long call, std::uint32_t action) {
    skip_unless(BPF_JEQ, static_cast<std::uint32_t>(call), 0, 1);
    verdict(action);
  }

  std::vector<sock_filter> code_;
};

Error refused(std::string_view what) {
  return {Code::kInternal, std::string(what) + ": " + std::strerror(errno)};
}

bool limit(__rlimit_resource resource, std::uint64_t value) {
  struct rlimit now{};
  if (::getrlimit(resource, &now) != 0) return false;
  const rlim_t most = now.rlim_max < value ? now.rlim_max : value;
  const struct rlimit wanted{most, most};
  return ::setrlimit(resource, &wanted) == 0;
}

}  // namespace

Result<void> enter_jail(const JailLimits& limits) {
  if (!limit(RLIMIT_CORE, 0) || !limit(RLIMIT_NPROC, 0) || !limit(RLIMIT_FSIZE, 0) ||
      !limit(RLIMIT_CPU, static_cast<std::uint64_t>(limits.cpu_seconds))) {
    return refused("cannot set the child's limits");
  }
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return refused("cannot give up privileges");
  Filter filter;
  filter.allow(SYS_futex);
  filter.allow(SYS_sched_yield);
  filter.allow(SYS_clock_gettime);
  filter.allow(SYS_rt_sigreturn);
  filter.allow(SYS_restart_syscall);
  filter.allow(SYS_exit);
  filter.allow(SYS_exit_group);
  filter.allow_when(SYS_read, 0, static_cast<std::uint32_t>(limits.read_fd));
  filter.allow_when(SYS_write, 0, static_cast<std::uint32_t>(limits.write_fd));
  // Stacks are opened when they are first used.
  filter.allow_when(SYS_mprotect, 2, PROT_READ | PROT_WRITE);
  filter.fail(SYS_mmap, ENOMEM);
  filter.fail(SYS_mremap, ENOMEM);
  filter.fail(SYS_brk, ENOMEM);
  filter.fail(SYS_madvise, EPERM);
  filter.fail(SYS_munmap, EPERM);
  if (!filter.install()) return refused("cannot install the child's system-call filter");
  return ok();
}

}  // namespace kvgen
