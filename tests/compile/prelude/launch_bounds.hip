// expect: ok
extern "C" __global__ __launch_bounds__(256) void before(float* a) { a[0] = 1; }
extern "C" __global__ void __launch_bounds__(256, 2) after(float* a) { a[0] = 1; }
__device__ __noinline__ float slow(float x) { return x * x; }
static __device__ __forceinline__ float fast(float x) { return slow(x) + 1; }
__global__ void call(float* __restrict__ a, const float* __restrict__ b) { a[0] = fast(b[0]); }
