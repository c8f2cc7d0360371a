#include "tests/device/nvrtc.h"

#include <dlfcn.h>

namespace kvgen::testing {
namespace {

template <class Function>
Function symbol(void* library, const char* name) {
  return reinterpret_cast<Function>(::dlsym(library, name));
}

void* open_nvrtc() {
  for (const char* name : {"libnvrtc.so.13", "libnvrtc.alt.so.13", "libnvrtc.so.12"}) {
    if (void* library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
  }
  return nullptr;
}

}  // namespace

Result<CudaObject> compile_with_nvrtc(const std::string& source,
                                      const std::vector<std::string>& kernels) {
  void* library = open_nvrtc();
  if (library == nullptr) return Error(Code::kMissing, "no libnvrtc in the loader's path");
  using Program = void*;
  const auto create = symbol<int (*)(Program*, const char*, const char*, int, const char* const*,
                                     const char* const*)>(library, "nvrtcCreateProgram");
  const auto name = symbol<int (*)(Program, const char*)>(library, "nvrtcAddNameExpression");
  const auto compile =
      symbol<int (*)(Program, int, const char* const*)>(library, "nvrtcCompileProgram");
  const auto lowered =
      symbol<int (*)(Program, const char*, const char**)>(library, "nvrtcGetLoweredName");
  const auto log_size = symbol<int (*)(Program, std::size_t*)>(library, "nvrtcGetProgramLogSize");
  const auto log = symbol<int (*)(Program, char*)>(library, "nvrtcGetProgramLog");
  const auto size = symbol<int (*)(Program, std::size_t*)>(library, "nvrtcGetPTXSize");
  const auto ptx = symbol<int (*)(Program, char*)>(library, "nvrtcGetPTX");

  Program program = nullptr;
  create(&program, source.c_str(), "kernel.hip", 0, nullptr, nullptr);
  for (const std::string& kernel : kernels) name(program, kernel.c_str());
  const char* options[] = {"--gpu-architecture=compute_90", "--std=c++17"};
  if (compile(program, 2, options) != 0) {
    std::size_t bytes = 0;
    log_size(program, &bytes);
    std::string text(bytes, '\0');
    log(program, text.data());
    return Error(Code::kInvalid, text);
  }
  CudaObject object;
  for (const std::string& kernel : kernels) {
    const char* text = nullptr;
    lowered(program, kernel.c_str(), &text);
    object.symbols.emplace_back(text != nullptr ? text : "");
  }
  std::size_t bytes = 0;
  size(program, &bytes);
  object.image.resize(bytes);
  ptx(program, object.image.data());
  return object;
}

}  // namespace kvgen::testing
