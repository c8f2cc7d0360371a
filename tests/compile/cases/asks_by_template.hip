// kernels: k
// expect: usable
// tokens: differ
template <class T>
__device__ float width() {
  if constexpr (sizeof(T) == 24) return 1.0f;
  return 0.0f;
}
__global__ void k(float* out) { out[0] = width<__builtin_va_list>(); }
