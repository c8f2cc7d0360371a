// A candidate's macros must not change what the plan names.
// kernels: right<int>
// expect: usable
template <typename T>
__global__ void right(T* out) { out[threadIdx.x] = 1; }
template <typename T>
__global__ void wrong(T* out) { out[threadIdx.x] = 2; }
#define right wrong
#define int float
#define constexpr
#define auto void
