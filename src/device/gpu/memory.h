#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kvgen/base/result.h"
#include "kvgen/device/gpu_driver.h"

namespace kvgen::gpu {

inline constexpr std::int64_t kAlignment = 256;  // of every tensor's base; guards are as long

// Turns a driver's status into an Error of ours.
Result<void> check(const GpuDriver& driver, GpuDriver::Status status, const std::string& doing);

// One tensor or plan buffer on the device, between guards of known bytes.
class GuardedMemory {
 public:
  static Result<GuardedMemory> allocate(const GpuDriver& driver, std::string name,
                                        std::int64_t bytes, unsigned char guard);
  GuardedMemory(GuardedMemory&& other) noexcept;
  GuardedMemory& operator=(GuardedMemory&&) = delete;
  GuardedMemory(const GuardedMemory&) = delete;
  GuardedMemory& operator=(const GuardedMemory&) = delete;
  ~GuardedMemory();

  [[nodiscard]] GpuDriver::Address data() const { return base_ + kAlignment; }
  [[nodiscard]] const std::string& name() const { return name_; }

  Result<void> write(std::span<const std::byte> bytes) const;
  Result<void> read(std::span<std::byte> bytes) const;
  // Whether the guards are as they were.
  Result<bool> intact() const;

 private:
  GuardedMemory(const GpuDriver& driver, std::string name, GpuDriver::Address base,
                std::int64_t bytes, unsigned char guard)
      : driver_(&driver), name_(std::move(name)), base_(base), bytes_(bytes), guard_(guard) {}
  [[nodiscard]] std::int64_t room() const;

  const GpuDriver* driver_;
  std::string name_;
  GpuDriver::Address base_;
  std::int64_t bytes_;
  unsigned char guard_;
};

}  // namespace kvgen::gpu
