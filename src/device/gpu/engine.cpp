#include "kvgen/device/engine.h"

#include <cstring>
#include <vector>

#include "device/gpu/memory.h"
#include "device/gpu/stream.h"
#include "kvgen/device/gpu_driver.h"

namespace kvgen {
namespace {

using gpu::GpuStream;
using gpu::GuardedMemory;

unsigned char guard_byte(std::uint64_t seed) {
  return static_cast<unsigned char>(0x80U | (seed * 0x9E3779B97F4A7C15ULL >> 57U));
}

// A candidate on the device: module, tensors, buffers.
class Loaded {
 public:
  static Result<std::unique_ptr<Loaded>> open(const GpuDriver& driver, DeviceRun run) {
    TRY(Arena inputs, Arena::open(run.inputs_fd, run.inputs, false));
    TRY(Arena outputs, Arena::open(run.outputs_fd, run.outputs, true));
    std::unique_ptr<Loaded> loaded(
        new Loaded(driver, std::move(run), std::move(inputs), std::move(outputs)));
    TRY(loaded->stream_, GpuStream::open(driver, loaded->run_.object));
    TRY_VOID(loaded->place_all());
    return loaded;
  }

  Result<void> prepare() {
    issue(bind_steps(run_.plan.prepare, addresses_), *stream_);
    stream_->wait();
    return ok();
  }

  // Runs the plan `runs` times from poisoned outputs; device time of all together.
  Result<std::int64_t> execute(int runs) {
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      TRY_VOID(outputs_[i].write(output_arena_.data(output_arena_.layout().tensors[i])));
    }
    const std::vector<BoundStep> steps = bind_steps(run_.plan.run, addresses_);
    return stream_->timed_ns([&] {
      for (int i = 0; i < runs; ++i) issue(steps, *stream_);
    });
  }

  // Outputs back into their arena; tells what the device saw.
  Result<RunReport> report(std::int64_t device_ns) {
    RunReport report;
    report.wall_ns = device_ns;
    if (const auto& failure = stream_->failure(); failure.status != 0) {
      report.status =
          failure.asynchronous ? RunReport::Status::kCrash : RunReport::Status::kLaunchError;
      const char* text = nullptr;
      driver_.error_text(failure.status, &text);
      report.reason = failure.what + ": " + (text != nullptr ? text : "unknown error");
      report.detail = {{"driver", driver_.name}, {"status", failure.status}};
      return report;
    }
    for (const auto* group : {&inputs_, &outputs_, &buffers_}) {
      for (const GuardedMemory& memory : *group) {
        TRY(const bool intact, memory.intact());
        if (intact) continue;
        report.status = RunReport::Status::kOutOfBounds;
        report.reason = "wrote outside of " + memory.name();
        report.detail = {{"tensor", memory.name()}};
        return report;
      }
    }
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const auto expected = input_arena_.data(input_arena_.layout().tensors[i]);
      std::vector<std::byte> now(expected.size());
      TRY_VOID(inputs_[i].read(now));
      if (std::memcmp(now.data(), expected.data(), now.size()) == 0) continue;
      report.status = RunReport::Status::kMutatedInput;
      report.reason = "wrote to the input " + inputs_[i].name();
      report.detail = {{"tensor", inputs_[i].name()}};
      return report;
    }
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      TRY_VOID(outputs_[i].read(output_arena_.data(output_arena_.layout().tensors[i])));
    }
    return report;
  }

 private:
  Loaded(const GpuDriver& driver, DeviceRun run, Arena inputs, Arena outputs)
      : driver_(driver),
        run_(std::move(run)),
        input_arena_(std::move(inputs)),
        output_arena_(std::move(outputs)) {}

  Result<void> place_all() {
    const unsigned char guard = guard_byte(run_.poison_seed);
    const auto place = [&](const std::string& name, std::int64_t bytes,
                           std::vector<GuardedMemory>& list,
                           std::vector<std::uint64_t>& addresses) -> Result<void> {
      TRY(GuardedMemory memory, GuardedMemory::allocate(driver_, name, bytes, guard));
      addresses.push_back(memory.data());
      list.push_back(std::move(memory));
      return ok();
    };
    for (const ArenaTensor& tensor : input_arena_.layout().tensors) {
      TRY_VOID(place(tensor.spec.name, tensor.data_bytes, inputs_, addresses_.inputs));
      TRY_VOID(inputs_.back().write(input_arena_.data(tensor)));
    }
    for (const ArenaTensor& tensor : output_arena_.layout().tensors) {
      TRY_VOID(place(tensor.spec.name, tensor.data_bytes, outputs_, addresses_.outputs));
    }
    // The guards' pattern is a buffer's poison too.
    for (const ResolvedBuffer& buffer : run_.plan.buffers) {
      TRY_VOID(place(buffer.name, buffer.bytes, buffers_, addresses_.buffers));
    }
    return ok();
  }

  const GpuDriver& driver_;
  DeviceRun run_;
  Arena input_arena_;
  Arena output_arena_;
  std::vector<GuardedMemory> inputs_;
  std::vector<GuardedMemory> outputs_;
  std::vector<GuardedMemory> buffers_;
  DeviceAddresses addresses_;
  std::unique_ptr<GpuStream> stream_;
};

class GpuSession : public DeviceSession {
 public:
  GpuSession(std::unique_ptr<Loaded> loaded, RunReport first)
      : loaded_(std::move(loaded)), first_(std::move(first)) {}
  const RunReport& first() const override { return first_; }
  Result<RunReport> sample(int runs, bool) override {
    if (first_.status != RunReport::Status::kFinished) return first_;
    TRY(const std::int64_t ns, loaded_->execute(runs));
    return loaded_->report(ns);
  }

 private:
  std::unique_ptr<Loaded> loaded_;
  RunReport first_;
};

class GpuEngine : public Engine {
 public:
  GpuEngine(GpuDriver driver, std::string machine)
      : driver_(std::move(driver)), machine_(std::move(machine)) {}

  Result<RunReport> run(DeviceRun run) override {
    TRY(const auto session, open(std::move(run)));
    return session->first();
  }

  Result<std::unique_ptr<DeviceSession>> open(DeviceRun run) override {
    TRY(auto loaded, Loaded::open(driver_, std::move(run)));
    TRY_VOID(loaded->prepare());
    TRY(const std::int64_t ns, loaded->execute(1));
    TRY(RunReport first, loaded->report(ns));
    return std::unique_ptr<DeviceSession>(
        std::make_unique<GpuSession>(std::move(loaded), std::move(first)));
  }

  Json describe() const override { return {{"device", driver_.name}, {"machine", machine_}}; }

 private:
  GpuDriver driver_;
  std::string machine_;
};

}  // namespace

Result<std::unique_ptr<Engine>> make_gpu_engine(GpuDriver driver, int ordinal) {
  int device = 0;
  GpuDriver::Handle context = nullptr;
  char name[256] = {};
  TRY_VOID(gpu::check(driver, driver.initialise(0), "cannot initialise the driver"));
  TRY_VOID(gpu::check(driver, driver.device(&device, ordinal), "no such GPU"));
  TRY_VOID(gpu::check(driver, driver.device_name(name, sizeof(name) - 1, device),
                      "cannot name the GPU"));
  TRY_VOID(gpu::check(driver, driver.retain_context(&context, device), "cannot use the GPU"));
  TRY_VOID(gpu::check(driver, driver.use_context(context), "cannot use the GPU"));
  return std::unique_ptr<Engine>(std::make_unique<GpuEngine>(std::move(driver), name));
}

}  // namespace kvgen
