// expect: ok
template <int N, typename T>
__device__ __forceinline__ T power(T x) {
#pragma unroll
  for (int i = 0; i < N; i++) x = x * x + 1;
  return x;
}
template <typename T, int BLOCK>
__global__ void scaled(T* out, const T* in, T scale, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) out[i] = power<2>(in[i]) * scale;
}
template __global__ void scaled<float, 256>(float*, const float*, float, int);
template __global__ void scaled<int, 64>(int*, const int*, int, int);
template <class F>
__device__ float apply(F f, float x) { return f(x); }
__global__ void lambdas(float* a) {
  const float scale = a[1];
  auto times = [&](float x) { return x * scale; };
  auto plus = [=] __device__(float x) { return x + scale; };
  a[0] = apply(times, a[2]) + apply(plus, a[3]);
}
