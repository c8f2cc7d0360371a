// kernels: k<float>; k<__half>
// expect: usable
// tokens: same
#include <type_traits>
enum Mode { kPlain = 3 };
template <class T>
struct Pack { T v[16 / sizeof(T)]; };
template <class T>
__device__ T twice(T x) { return x + x; }
template <class T>
__global__ void k(const T* x, float* out) {
  constexpr int n = sizeof(Pack<T>) / sizeof(T);
  static_assert(alignof(float4) == 16 && n >= 4);
  if constexpr (std::is_same_v<T, float>) out[0] = twice(x[0]);
  else out[0] = (float)twice(x[n - 1]);
  out[1] = kPlain + (float)sizeof(long) + warpSize + __popcll(__ballot(1));
}
