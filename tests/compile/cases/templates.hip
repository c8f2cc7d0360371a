// kernels: scan<float, 4>; scan< float ,2 >; ns::scale<double>; ns::inner::copy<unsigned char>; pick<true, -1>
// expect: usable
#define scan_step(x) x
#define float_t double
template <typename T, int N>
__global__ void scan(const T* x, T* out, int n) {
  __shared__ T buffer[64 * N];
  buffer[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = buffer[63 - threadIdx.x];
}
namespace ns {
template <typename T>
__global__ void scale(T* out, T factor) {
  out[threadIdx.x] *= factor;
}
namespace inner {
template <typename T>
__global__ void copy(const T* x, T* out) {
  out[threadIdx.x] = x[threadIdx.x];
}
}  // namespace inner
}  // namespace ns
template <bool Up, int Shift>
__global__ void pick(const int* x, int* out) {
  out[threadIdx.x] = Up ? x[threadIdx.x] + Shift : x[threadIdx.x];
}
