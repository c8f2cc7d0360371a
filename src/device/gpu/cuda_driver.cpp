#include <dlfcn.h>

#include "kvgen/device/gpu_driver.h"

namespace kvgen {
namespace {

class Symbols {
 public:
  explicit Symbols(void* library) : library_(library) {}

  template <class Function>
  void find(Function& function, const char* name) {
    function = reinterpret_cast<Function>(::dlsym(library_, name));
    if (function == nullptr && missing_.empty()) missing_ = name;
  }
  [[nodiscard]] const std::string& missing() const { return missing_; }

 private:
  void* library_;
  std::string missing_;
};

}  // namespace

Result<GpuDriver> open_cuda_driver() {
  void* library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return Error(Code::kMissing,
                 "no CUDA driver found: looked for libcuda.so.1 in the loader's "
                 "path; install NVIDIA's driver or use --device cpu");
  }
  GpuDriver driver;
  driver.name = "cuda";
  driver.library = std::shared_ptr<void>(library, [](void* opened) { ::dlclose(opened); });
  // The versioned names are the 64-bit forms: cuda.h maps the plain ones to them.
  Symbols symbols(library);
  symbols.find(driver.initialise, "cuInit");
  symbols.find(driver.device, "cuDeviceGet");
  symbols.find(driver.device_name, "cuDeviceGetName");
  symbols.find(driver.retain_context, "cuDevicePrimaryCtxRetain");
  symbols.find(driver.use_context, "cuCtxSetCurrent");
  symbols.find(driver.load_module, "cuModuleLoadData");
  symbols.find(driver.unload_module, "cuModuleUnload");
  symbols.find(driver.find_function, "cuModuleGetFunction");
  symbols.find(driver.allocate, "cuMemAlloc_v2");
  symbols.find(driver.release, "cuMemFree_v2");
  symbols.find(driver.copy_in, "cuMemcpyHtoD_v2");
  symbols.find(driver.copy_out, "cuMemcpyDtoH_v2");
  symbols.find(driver.copy, "cuMemcpyDtoDAsync_v2");
  symbols.find(driver.fill_8, "cuMemsetD8Async");
  symbols.find(driver.fill_16, "cuMemsetD16Async");
  symbols.find(driver.fill_32, "cuMemsetD32Async");
  symbols.find(driver.launch, "cuLaunchKernel");
  symbols.find(driver.create_stream, "cuStreamCreate");
  symbols.find(driver.destroy_stream, "cuStreamDestroy_v2");
  symbols.find(driver.wait_for_stream, "cuStreamSynchronize");
  symbols.find(driver.create_event, "cuEventCreate");
  symbols.find(driver.destroy_event, "cuEventDestroy_v2");
  symbols.find(driver.record_event, "cuEventRecord");
  symbols.find(driver.wait_for_event, "cuEventSynchronize");
  symbols.find(driver.elapsed, "cuEventElapsedTime");
  symbols.find(driver.error_text, "cuGetErrorString");
  if (!symbols.missing().empty()) {
    return Error(Code::kMissing, "the CUDA driver lacks " + symbols.missing() +
                                     "; install a newer one or use --device cpu");
  }
  return driver;
}

}  // namespace kvgen
