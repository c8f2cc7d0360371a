#include "device/gpu/memory.h"

#include <algorithm>
#include <utility>

namespace kvgen::gpu {

Result<void> check(const GpuDriver& driver, GpuDriver::Status status, const std::string& doing) {
  if (status == 0) return ok();
  const char* text = nullptr;
  driver.error_text(status, &text);
  return Error(Code::kWorker, doing + ": " + (text != nullptr ? text : "unknown error") + " (" +
                                  driver.name + " " + std::to_string(status) + ")");
}

std::int64_t GuardedMemory::room() const {
  return (bytes_ + kAlignment - 1) / kAlignment * kAlignment + 2 * kAlignment;
}

Result<GuardedMemory> GuardedMemory::allocate(const GpuDriver& driver, std::string name,
                                              std::int64_t bytes, unsigned char guard) {
  GuardedMemory memory(driver, std::move(name), 0, bytes, guard);
  const auto room = static_cast<std::size_t>(memory.room());
  TRY_VOID(check(driver, driver.allocate(&memory.base_, room), "cannot allocate device memory"));
  TRY_VOID(check(driver, driver.fill_8(memory.base_, guard, room, nullptr), "cannot set guards"));
  return memory;
}

GuardedMemory::GuardedMemory(GuardedMemory&& other) noexcept
    : driver_(other.driver_),
      name_(std::move(other.name_)),
      base_(std::exchange(other.base_, 0)),
      bytes_(other.bytes_),
      guard_(other.guard_) {}

GuardedMemory::~GuardedMemory() {
  if (base_ != 0) driver_->release(base_);
}

Result<void> GuardedMemory::write(std::span<const std::byte> bytes) const {
  if (bytes.empty()) return ok();
  return check(*driver_, driver_->copy_in(data(), bytes.data(), bytes.size()),
               "cannot copy " + name_ + " to the device");
}

Result<void> GuardedMemory::read(std::span<std::byte> bytes) const {
  if (bytes.empty()) return ok();
  return check(*driver_, driver_->copy_out(bytes.data(), data(), bytes.size()),
               "cannot copy " + name_ + " from the device");
}

Result<bool> GuardedMemory::intact() const {
  std::vector<std::byte> before(static_cast<std::size_t>(kAlignment));
  std::vector<std::byte> behind(static_cast<std::size_t>(room() - kAlignment - bytes_));
  TRY_VOID(check(*driver_, driver_->copy_out(before.data(), base_, before.size()),
                 "cannot read guards"));
  const GpuDriver::Address end = data() + static_cast<GpuDriver::Address>(bytes_);
  TRY_VOID(
      check(*driver_, driver_->copy_out(behind.data(), end, behind.size()), "cannot read guards"));
  const auto same = [&](std::byte byte) { return byte == std::byte{guard_}; };
  return std::all_of(before.begin(), before.end(), same) &&
         std::all_of(behind.begin(), behind.end(), same);
}

}  // namespace kvgen::gpu
