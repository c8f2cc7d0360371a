#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "device/stream.h"
#include "kvgen/base/result.h"
#include "kvgen/device/gpu_driver.h"

namespace kvgen::gpu {

// A stream of a driver with a loaded module. The first failure is kept; what is
// issued after it does nothing.
class GpuStream : public Stream {
 public:
  static Result<std::unique_ptr<GpuStream>> open(const GpuDriver& driver,
                                                 const std::string& object);
  ~GpuStream() override;

  void launch(const BoundLaunch& launch) override;
  void fill(const BoundFill& fill) override;
  void copy(const BoundCopy& copy) override;
  void wait() override;

  struct Failure {
    GpuDriver::Status status = 0;
    std::string what;  // "kernel softmax"
    bool asynchronous = false;
  };
  [[nodiscard]] const Failure& failure() const { return failure_; }

  // Device time of what `work` issues, between two events.
  Result<std::int64_t> timed_ns(const std::function<void()>& work);

 private:
  explicit GpuStream(const GpuDriver& driver) : driver_(driver) {}
  void keep(GpuDriver::Status status, const std::string& what, bool asynchronous = false);

  const GpuDriver& driver_;
  GpuDriver::Handle module_ = nullptr;
  GpuDriver::Handle stream_ = nullptr;
  std::map<std::string, GpuDriver::Handle> functions_;
  Failure failure_;
};

}  // namespace kvgen::gpu
