#include "store/run_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <sstream>

#include "kvgen/base/number.h"

namespace kvgen {
namespace {

std::string holder_of(int fd) {
  std::array<char, 32> text{};
  const ssize_t got = ::pread(fd, text.data(), text.size(), 0);
  std::string pid;
  for (ssize_t i = 0; i < got && text[i] >= '0' && text[i] <= '9'; ++i) pid += text[i];
  return pid.empty() ? "another kvgen" : "another kvgen (process " + pid + ")";
}

}  // namespace

Result<RunLock> RunLock::take(const fs::path& folder) {
  const fs::path path = folder / "lock";
  UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644));
  if (!fd.valid()) return io_error("cannot open", path, errno);
  while (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK) return io_error("cannot lock", path, errno);
    Error held(Code::kConflict, folder.string() + " is in use by " + holder_of(fd.get()) +
                                    "; wait until it ends, or choose another folder");
    held.set_retryable();
    return held;
  }
  const std::string pid = std::to_string(::getpid()) + "\n";
  if (::ftruncate(fd.get(), 0) != 0 ||
      ::pwrite(fd.get(), pid.data(), pid.size(), 0) != static_cast<ssize_t>(pid.size())) {
    return io_error("cannot write", path, errno);
  }
  return RunLock(std::move(fd));
}

std::optional<int> holder_of_run(const fs::path& folder) {
  struct stat file{};
  if (::stat((folder / "lock").c_str(), &file) != 0) return std::nullopt;
  std::array<char, 48> held{};
  std::snprintf(held.data(), held.size(), "%02x:%02x:%ju", major(file.st_dev), minor(file.st_dev),
                static_cast<std::uintmax_t>(file.st_ino));
  std::ifstream locks("/proc/locks");
  for (std::string line; std::getline(locks, line);) {
    // "1: FLOCK  ADVISORY  WRITE 4711 08:02:131076 0 EOF"
    std::string number;
    std::string kind;
    std::string advice;
    std::string access;
    std::string pid;
    std::string place;
    std::istringstream(line) >> number >> kind >> advice >> access >> pid >> place;
    if (kind != "FLOCK" || access != "WRITE" || place != held.data()) continue;
    return static_cast<int>(std::max<std::int64_t>(leading_integer(pid).value_or(0), 0));
  }
  return std::nullopt;
}

}  // namespace kvgen
