#pragma once
// Declarations that let host code beside a kernel parse; it is never compiled.

typedef enum hipError_t {
  hipSuccess = 0,
  hipErrorInvalidValue = 1,
  hipErrorUnknown = 999
} hipError_t;
typedef struct ihipStream_t* hipStream_t;
typedef struct ihipEvent_t* hipEvent_t;
typedef enum hipMemcpyKind {
  hipMemcpyHostToHost = 0,
  hipMemcpyHostToDevice = 1,
  hipMemcpyDeviceToHost = 2,
  hipMemcpyDeviceToDevice = 3,
  hipMemcpyDefault = 4
} hipMemcpyKind;

extern "C" {
__host__ hipError_t hipGetLastError();
__host__ hipError_t hipDeviceSynchronize();
__host__ hipError_t hipStreamSynchronize(hipStream_t stream);
__host__ const char* hipGetErrorString(hipError_t error);
__host__ hipError_t hipMemcpy(void* to, const void* from, size_t n, hipMemcpyKind kind);
__host__ hipError_t hipMemset(void* to, int value, size_t n);
__host__ hipError_t hipMemsetAsync(void* to, int value, size_t n, hipStream_t stream = nullptr);
__host__ hipError_t hipFree(void* p);
__host__ hipError_t hipConfigureCall(dim3 grid, dim3 block, size_t shared = 0,
                                     hipStream_t stream = nullptr);
__host__ hipError_t __hipPushCallConfiguration(dim3 grid, dim3 block, size_t shared = 0,
                                               hipStream_t stream = nullptr);
__host__ hipError_t hipLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                                    size_t shared, hipStream_t stream);
}
template <class T>
__host__ hipError_t hipMalloc(T** p, size_t n);
template <class T>
__host__ hipError_t hipFuncSetAttribute(T* kernel, int attribute, int value);

#define hipLaunchKernelGGL(kernel, grid, block, shared, stream, ...) \
  kernel<<<(grid), (block), (shared), (stream)>>>(__VA_ARGS__)
