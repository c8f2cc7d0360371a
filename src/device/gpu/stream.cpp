#include "device/gpu/stream.h"

#include <vector>

#include "device/gpu/memory.h"

namespace kvgen::gpu {
namespace {

unsigned narrow(std::int64_t value) { return static_cast<unsigned>(value); }

}  // namespace

Result<std::unique_ptr<GpuStream>> GpuStream::open(const GpuDriver& driver,
                                                   const std::string& object) {
  std::unique_ptr<GpuStream> stream(new GpuStream(driver));
  TRY_VOID(check(driver, driver.create_stream(&stream->stream_, 0), "cannot create a stream"));
  stream->keep(driver.load_module(&stream->module_, object.c_str()), "loading the module");
  return stream;
}

GpuStream::~GpuStream() {
  if (module_ != nullptr) driver_.unload_module(module_);
  if (stream_ != nullptr) driver_.destroy_stream(stream_);
}

void GpuStream::keep(GpuDriver::Status status, const std::string& what, bool asynchronous) {
  if (status != 0 && failure_.status == 0) failure_ = {status, what, asynchronous};
}

void GpuStream::launch(const BoundLaunch& launch) {
  const ResolvedLaunch& plan = *launch.plan;
  if (failure_.status != 0) return;
  if (plan.grid[0] == 0 || plan.grid[1] == 0 || plan.grid[2] == 0) return;
  GpuDriver::Handle& function = functions_[plan.symbol];
  if (function == nullptr) {
    keep(driver_.find_function(&function, module_, plan.symbol.c_str()), "kernel " + plan.name);
    if (failure_.status != 0) return;
  }
  std::vector<unsigned long long> values = launch.arguments;
  std::vector<void*> pointers;
  for (auto& value : values) pointers.push_back(&value);
  keep(driver_.launch(function, narrow(plan.grid[0]), narrow(plan.grid[1]), narrow(plan.grid[2]),
                      narrow(plan.block[0]), narrow(plan.block[1]), narrow(plan.block[2]),
                      narrow(plan.dynamic_lds), stream_, pointers.data(), nullptr),
       "kernel " + plan.name);
}

void GpuStream::fill(const BoundFill& fill) {
  if (failure_.status != 0 || fill.bytes == 0) return;
  const auto count = static_cast<std::size_t>(fill.bytes / fill.element_bytes);
  GpuDriver::Status status = 0;
  if (fill.element_bytes == 1) {
    status = driver_.fill_8(fill.to, static_cast<unsigned char>(fill.bits), count, stream_);
  } else if (fill.element_bytes == 2) {
    status = driver_.fill_16(fill.to, static_cast<unsigned short>(fill.bits), count, stream_);
  } else if (fill.element_bytes == 4) {
    status = driver_.fill_32(fill.to, static_cast<unsigned>(fill.bits), count, stream_);
  } else {
    // No driver sets 64-bit patterns: the pattern goes in from the host.
    const std::vector<std::uint64_t> pattern(count, fill.bits);
    status = driver_.wait_for_stream(stream_);
    if (status == 0) status = driver_.copy_in(fill.to, pattern.data(), count * 8);
  }
  keep(status, "a fill");
}

void GpuStream::copy(const BoundCopy& copy) {
  if (failure_.status != 0 || copy.bytes == 0) return;
  keep(driver_.copy(copy.to, copy.from, static_cast<std::size_t>(copy.bytes), stream_), "a copy");
}

void GpuStream::wait() { keep(driver_.wait_for_stream(stream_), "the plan", true); }

Result<std::int64_t> GpuStream::timed_ns(const std::function<void()>& work) {
  struct Events {
    const GpuDriver& driver;
    GpuDriver::Handle start = nullptr;
    GpuDriver::Handle end = nullptr;
    ~Events() {
      if (start != nullptr) driver.destroy_event(start);
      if (end != nullptr) driver.destroy_event(end);
    }
  } events{driver_};
  TRY_VOID(check(driver_, driver_.create_event(&events.start, 0), "cannot create an event"));
  TRY_VOID(check(driver_, driver_.create_event(&events.end, 0), "cannot create an event"));
  keep(driver_.record_event(events.start, stream_), "an event");
  work();
  keep(driver_.record_event(events.end, stream_), "an event");
  wait();
  if (failure_.status != 0) return 0;
  float milliseconds = 0;
  TRY_VOID(check(driver_, driver_.elapsed(&milliseconds, events.start, events.end),
                 "cannot read the events"));
  return static_cast<std::int64_t>(static_cast<double>(milliseconds) * 1e6);
}

}  // namespace kvgen::gpu
