#include "kvgen/base/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "kvgen/base/fd.h"

namespace kvgen {
namespace {

Result<void> write_all(int fd, std::string_view bytes, const fs::path& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return io_error("cannot write", path, errno);
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return ok();
}

class RealFiles : public Files {
 public:
  Result<std::string> read(const fs::path& path, std::uint64_t limit) override {
    // O_NONBLOCK: opening a FIFO must not wait for a writer.
    const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!fd.valid()) return io_error("cannot open", path, errno);
    struct stat info{};
    if (::fstat(fd.get(), &info) != 0) return io_error("cannot read", path, errno);
    if (!S_ISREG(info.st_mode)) {
      return Error(Code::kInvalid, path.string() + " is not a regular file");
    }
    std::string bytes;
    std::string chunk(1U << 16U, '\0');
    while (true) {
      const ssize_t got = ::read(fd.get(), chunk.data(), chunk.size());
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return io_error("cannot read", path, errno);
      if (got == 0) return bytes;
      bytes.append(chunk.data(), static_cast<std::size_t>(got));
      if (bytes.size() > limit) {
        return Error(Code::kInvalid, path.string() + " is larger than the limit of " +
                                         std::to_string(limit) + " bytes");
      }
    }
  }

  Result<void> write_atomically(const fs::path& path, std::string_view bytes) override {
    const fs::path aside = path.string() + ".tmp" + std::to_string(::getpid());
    TRY_VOID(write_and_sync(aside, bytes));
    if (::rename(aside.c_str(), path.c_str()) != 0) {
      const int cause = errno;
      ::unlink(aside.c_str());
      return io_error("cannot rename onto", path, cause);
    }
    const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
    const UniqueFd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (fd.valid()) ::fsync(fd.get());
    return ok();
  }

  Result<void> make_folder(const fs::path& path) override {
    std::error_code code;
    fs::create_directories(path, code);
    if (code) return io_error("cannot create the folder", path, code.value());
    return ok();
  }

  Result<void> remove(const fs::path& path) override {
    std::error_code code;
    fs::remove_all(path, code);
    if (code) return io_error("cannot remove", path, code.value());
    return ok();
  }

  bool exists(const fs::path& path) override {
    std::error_code code;
    return fs::exists(path, code);
  }

  Result<std::vector<std::string>> list(const fs::path& folder) override {
    std::error_code code;
    std::vector<std::string> names;
    fs::directory_iterator it(folder, code);
    if (code) return io_error("cannot list", folder, code.value());
    for (; it != fs::directory_iterator(); it.increment(code)) {
      if (code) return io_error("cannot list", folder, code.value());
      std::string name = it->path().filename().string();
      std::error_code ignored;
      if (it->is_directory(ignored)) name += '/';
      names.push_back(std::move(name));
    }
    std::sort(names.begin(), names.end());
    return names;
  }

 private:
  static Result<void> write_and_sync(const fs::path& path, std::string_view bytes) {
    const UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    if (!fd.valid()) return io_error("cannot create", path, errno);
    Result<void> done = write_all(fd.get(), bytes, path);
    if (done.ok() && ::fsync(fd.get()) != 0) done = io_error("cannot sync", path, errno);
    if (!done.ok()) ::unlink(path.c_str());
    return done;
  }
};

}  // namespace

Files& real_files() {
  static RealFiles files;
  return files;
}

Error io_error(std::string_view doing, const fs::path& path, int error_number) {
  Code code = Code::kIo;
  std::string advice;
  switch (error_number) {
    case ENOSPC:
    case EDQUOT:
      code = Code::kFull;
      advice = "; free some space and run the same command again";
      break;
    case EACCES:
    case EPERM:
    case EROFS:
      code = Code::kDenied;
      advice = "; choose a folder that you may write, or change its permissions";
      break;
    case ENOENT:
      code = Code::kNotFound;
      break;
    case EMFILE:
    case ENFILE:
      code = Code::kFull;
      advice = "; raise the limit of open files (ulimit -n)";
      break;
    default:
      break;
  }
  return {code,
          std::string(doing) + " " + path.string() + ": " + std::strerror(error_number) + advice};
}

}  // namespace kvgen
