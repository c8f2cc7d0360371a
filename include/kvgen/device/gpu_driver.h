#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "kvgen/base/result.h"

namespace kvgen {

// The functions of a GPU driver that the engine needs. Each gives 0 or the
// driver's error number. Named for what CUDA and HIP both have: a driver is a
// row of symbol names, the engine is one.
struct GpuDriver {
  using Status = int;
  using Address = std::uint64_t;
  using Handle = void*;

  std::string name;  // "cuda"
  Status (*initialise)(unsigned flags) = nullptr;
  Status (*device)(int* device, int ordinal) = nullptr;
  Status (*device_name)(char* text, int length, int device) = nullptr;
  Status (*retain_context)(Handle* context, int device) = nullptr;
  Status (*use_context)(Handle context) = nullptr;
  Status (*load_module)(Handle* module, const void* image) = nullptr;
  Status (*unload_module)(Handle module) = nullptr;
  Status (*find_function)(Handle* function, Handle module, const char* symbol) = nullptr;
  Status (*allocate)(Address* address, std::size_t bytes) = nullptr;
  Status (*release)(Address address) = nullptr;
  Status (*copy_in)(Address to, const void* from, std::size_t bytes) = nullptr;
  Status (*copy_out)(void* to, Address from, std::size_t bytes) = nullptr;
  Status (*copy)(Address to, Address from, std::size_t bytes, Handle stream) = nullptr;
  Status (*fill_8)(Address to, unsigned char value, std::size_t count, Handle stream) = nullptr;
  Status (*fill_16)(Address to, unsigned short value, std::size_t count, Handle stream) = nullptr;
  Status (*fill_32)(Address to, unsigned value, std::size_t count, Handle stream) = nullptr;
  Status (*launch)(Handle function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                   Handle stream, void** arguments, void** extra) = nullptr;
  Status (*create_stream)(Handle* stream, unsigned flags) = nullptr;
  Status (*destroy_stream)(Handle stream) = nullptr;
  Status (*wait_for_stream)(Handle stream) = nullptr;
  Status (*create_event)(Handle* event, unsigned flags) = nullptr;
  Status (*destroy_event)(Handle event) = nullptr;
  Status (*record_event)(Handle event, Handle stream) = nullptr;
  Status (*wait_for_event)(Handle event) = nullptr;
  Status (*elapsed)(float* milliseconds, Handle start, Handle end) = nullptr;
  Status (*error_text)(Status status, const char** text) = nullptr;

  std::shared_ptr<void> library;
};

// CUDA's driver, opened at run time. kMissing where there is none.
Result<GpuDriver> open_cuda_driver();

class Engine;

// The engine over a driver, on its `ordinal`-th GPU. It runs candidates in this
// process: a kernel that faults ends the driver's context, and the process must
// go with it. Times are the device's, between two events. Schedules, cores and
// cold samples are the cpu device's: here they change nothing.
Result<std::unique_ptr<Engine>> make_gpu_engine(GpuDriver driver, int ordinal);

}  // namespace kvgen
