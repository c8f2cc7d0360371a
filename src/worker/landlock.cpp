#include "worker/landlock.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "kvgen/base/fd.h"
#include "kvgen/base/files.h"

namespace kvgen {
namespace {

// linux/landlock.h, as of ABI 6: Debian 12's headers end at ABI 2, and a kernel
// takes a longer structure when what it does not know is zero.
struct RulesetAttributes {
  std::uint64_t files = 0;
  std::uint64_t network = 0;
  std::uint64_t scoped = 0;
};
struct [[gnu::packed]] PathBeneath {
  std::uint64_t allowed = 0;
  std::int32_t folder = -1;
};
constexpr unsigned kVersionFlag = 1;
constexpr int kRulePathBeneath = 1;

constexpr std::uint64_t kExecute = 1U << 0;
constexpr std::uint64_t kWriteFile = 1U << 1;
constexpr std::uint64_t kReadFile = 1U << 2;
constexpr std::uint64_t kReadFolder = 1U << 3;
constexpr std::uint64_t kAllOfAbi1 = (1U << 13) - 1;
constexpr std::uint64_t kMakeDevices = (1U << 6) | (1U << 11);
constexpr std::uint64_t kRefer = 1U << 13;
constexpr std::uint64_t kTruncate = 1U << 14;
constexpr std::uint64_t kIoctl = 1U << 15;
constexpr std::uint64_t kOfFiles = kExecute | kWriteFile | kReadFile | kTruncate | kIoctl;
constexpr std::uint64_t kTcpBindAndConnect = 3;
constexpr std::uint64_t kAbstractSocketsAndSignals = 3;

std::uint64_t file_rights(int abi) {
  std::uint64_t rights = kAllOfAbi1;
  if (abi >= 2) rights |= kRefer;
  if (abi >= 3) rights |= kTruncate;
  if (abi >= 5) rights |= kIoctl;
  return rights;
}

Result<void> allow(int ruleset, const fs::path& path, std::uint64_t rights, bool must_exist) {
  const UniqueFd fd(::open(path.c_str(), O_PATH | O_CLOEXEC));
  if (!fd.valid()) {
    if (!must_exist && (errno == ENOENT || errno == EACCES || errno == ENOTDIR)) return ok();
    return io_error("cannot open for the sandbox", path, errno);
  }
  struct stat info{};
  if (::fstat(fd.get(), &info) != 0) return io_error("cannot inspect", path, errno);
  if (!S_ISDIR(info.st_mode)) rights &= kOfFiles;
  PathBeneath rule{rights, fd.get()};
  if (::syscall(SYS_landlock_add_rule, ruleset, kRulePathBeneath, &rule, 0) != 0) {
    return io_error("Landlock refuses a rule for", path, errno);
  }
  return ok();
}

}  // namespace

int landlock_abi() {
  const long abi = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, kVersionFlag);
  return abi < 0 ? 0 : static_cast<int>(abi);
}

Result<void> restrict_by_landlock(const SandboxPolicy& policy, int abi) {
  const std::uint64_t handled = file_rights(abi);
  RulesetAttributes attributes;
  attributes.files = handled;
  if (abi >= 4 && !policy.allow_network) attributes.network = kTcpBindAndConnect;
  if (abi >= 6) attributes.scoped = kAbstractSocketsAndSignals;
  const UniqueFd ruleset(
      static_cast<int>(::syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0)));
  if (!ruleset.valid()) {
    return Error(Code::kInternal,
                 std::string("Landlock refuses its rule set: ") + std::strerror(errno));
  }
  const std::uint64_t read =
      kReadFile | kReadFolder | (policy.allow_exec ? kExecute : std::uint64_t{0});
  const std::uint64_t device = (kReadFile | kReadFolder | kWriteFile | kIoctl) & handled;
  const std::uint64_t write = handled & ~kMakeDevices & ~(kExecute & ~read) & ~kIoctl;
  for (const auto& path : policy.readable) TRY_VOID(allow(ruleset.get(), path, read, false));
  for (const auto& path : policy.devices) TRY_VOID(allow(ruleset.get(), path, device, false));
  for (const auto& path : policy.writable) TRY_VOID(allow(ruleset.get(), path, write, true));
  if (::syscall(SYS_landlock_restrict_self, ruleset.get(), 0) != 0) {
    return Error(Code::kInternal,
                 std::string("Landlock cannot be entered: ") + std::strerror(errno));
  }
  return ok();
}

}  // namespace kvgen
