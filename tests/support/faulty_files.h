#pragma once

#include <string>

#include "kvgen/base/files.h"

namespace kvgen::testing {

// Real files until a chosen call fails, as on a full disk or a read-only folder.
class FaultyFiles : public Files {
 public:
  explicit FaultyFiles(Files& real = real_files()) : real_(real) {}

  // The n-th write from now (1 is the next) and all later ones fail.
  void fail_writes_from(int n, int error_number) {
    writes_until_fault_ = n;
    error_number_ = error_number;
  }
  // What is written from now on lacks its second half, as after a lost power supply.
  void tear_writes() { torn_ = true; }
  void heal() {
    writes_until_fault_ = 0;
    torn_ = false;
  }
  [[nodiscard]] int writes() const { return writes_; }

  Result<std::string> read(const fs::path& path, std::uint64_t limit) override {
    return real_.read(path, limit);
  }
  Result<void> write_atomically(const fs::path& path, std::string_view bytes) override {
    ++writes_;
    if (writes_until_fault_ == 1) return io_error("cannot write", path, error_number_);
    if (writes_until_fault_ > 1) --writes_until_fault_;
    return real_.write_atomically(path, torn_ ? bytes.substr(0, bytes.size() / 2) : bytes);
  }
  Result<void> make_folder(const fs::path& path) override { return real_.make_folder(path); }
  Result<void> remove(const fs::path& path) override { return real_.remove(path); }
  bool exists(const fs::path& path) override { return real_.exists(path); }
  Result<std::vector<std::string>> list(const fs::path& folder) override {
    return real_.list(folder);
  }

 private:
  Files& real_;
  int writes_ = 0;
  int writes_until_fault_ = 0;
  int error_number_ = 0;
  bool torn_ = false;
};

}  // namespace kvgen::testing
