#pragma once

// Stands in for HIP where exported launchers are compiled without it: a launch is kept
// instead of made.

#include <cstdint>
#include <vector>

using hipStream_t = void*;
enum hipError_t { hipSuccess = 0 };
enum hipDeviceAttribute_t {
  hipDeviceAttributeWarpSize,
  hipDeviceAttributeMultiprocessorCount,
  hipDeviceAttributeMaxSharedMemoryPerBlock,
};

struct dim3 {
  unsigned x = 1;
  unsigned y = 1;
  unsigned z = 1;
  dim3(unsigned a, unsigned b, unsigned c) : x(a), y(b), z(c) {}
};

// What kvgen_kernels points at here: the size in bytes of each parameter.
struct StubKernel {
  std::vector<int> parameter_bytes;
};

struct StubLaunch {
  const StubKernel* kernel;
  dim3 grid;
  dim3 block;
  std::int64_t shared;
  std::vector<std::uint64_t> arguments;  // the parameters' bytes, low end first
};

inline std::vector<StubLaunch> stub_launches;
inline int stub_attributes[3] = {64, 1, 64 << 10};

inline hipError_t hipLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                                  std::size_t shared, hipStream_t) {
  const auto* kernel = static_cast<const StubKernel*>(function);
  StubLaunch launch{kernel, grid, block, static_cast<std::int64_t>(shared), {}};
  for (std::size_t i = 0; i < kernel->parameter_bytes.size(); ++i) {
    std::uint64_t bits = 0;
    const auto* bytes = static_cast<const unsigned char*>(arguments[i]);
    for (int k = kernel->parameter_bytes[i] - 1; k >= 0; --k) bits = bits << 8 | bytes[k];
    launch.arguments.push_back(bits);
  }
  stub_launches.push_back(launch);
  return hipSuccess;
}

inline hipError_t hipDeviceGetAttribute(int* value, hipDeviceAttribute_t which, int) {
  *value = stub_attributes[which];
  return hipSuccess;
}
