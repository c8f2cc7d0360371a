#pragma once

#include <filesystem>
#include <utility>

#include "kvgen/base/files.h"
#include "kvgen/base/result.h"

namespace kvgen::tools {

// A temporary folder that goes with its owner.
class Scratch {
 public:
  static Result<Scratch> create(const fs::path& parent);
  Scratch(Scratch&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  Scratch& operator=(Scratch&&) = delete;
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch();

  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  explicit Scratch(fs::path path) : path_(std::move(path)) {}
  fs::path path_;
};

}  // namespace kvgen::tools
