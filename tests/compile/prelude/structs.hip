// expect: ok
struct Pair {
  float value;
  int index;
  __device__ Pair() : value(-INFINITY), index(-1) {}
  __device__ Pair(float v, int i) : value(v), index(i) {}
};
struct MaxOf {
  __device__ __forceinline__ Pair operator()(const Pair& a, const Pair& b) const {
    return a.value >= b.value ? a : b;
  }
};
union Bits {
  float f;
  unsigned u;
};
namespace {
__device__ float square(float x) { return x * x; }
}  // namespace
static __device__ float fourth(float x) { return square(square(x)); }
__global__ void argmax(int* out, const float* in, int n) {
  Pair best;
  for (int i = threadIdx.x; i < n; i += blockDim.x) best = MaxOf()(best, Pair(in[i], i));
  Bits b;
  b.f = fourth(best.value);
  out[threadIdx.x] = best.index + (b.u >> 31);
}
