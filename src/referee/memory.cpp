#include "referee/memory.h"

#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>
#include <c10/core/impl/alloc_cpu.h>
#include <malloc.h>

#include <atomic>

namespace kvgen::referee {
namespace {

class BudgetAllocator final : public c10::Allocator {
 public:
  c10::DataPtr allocate(std::size_t bytes) override {
    if (bytes == 0) return {nullptr, nullptr, &release, c10::Device(c10::kCPU)};
    const std::int64_t limit = limit_;
    if (bytes > static_cast<std::size_t>(limit) ||
        in_use_ > limit - static_cast<std::int64_t>(bytes)) {
      throw BudgetExceeded("needs " + std::to_string(bytes >> 20) + " MB more, " +
                           std::to_string(limit >> 20) + " MB are allowed in all");
    }
    void* data = c10::alloc_cpu(bytes);
    in_use_ += held(data);
    return {data, data, &release, c10::Device(c10::kCPU)};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &release; }
  void copy_data(void* to, const void* from, std::size_t count) const override {
    default_copy_data(to, from, count);
  }

  static void release(void* data) {
    if (data == nullptr) return;
    in_use_ -= held(data);
    c10::free_cpu(data);
  }

  static std::int64_t held(void* data) {
    return static_cast<std::int64_t>(malloc_usable_size(data));
  }

  // libtorch has one allocator a process and its deleters carry no state.
  static inline std::atomic<std::int64_t> limit_ = 0;
  static inline std::atomic<std::int64_t> in_use_ = 0;
};

}  // namespace

void limit_tensor_memory(std::int64_t bytes) {
  BudgetAllocator::limit_ = bytes;
  static const bool installed = [] {
    c10::SetCPUAllocator(new BudgetAllocator, /*priority=*/255);
    return true;
  }();
  (void)installed;
}

std::int64_t tensor_memory_in_use() { return BudgetAllocator::in_use_; }

}  // namespace kvgen::referee
