// expect: ok
#include <hip/hip_fp16.h>
__global__ void real(float* f, double* d) {
  __shared__ float s;
  if (threadIdx.x == 0) s = 0;
  __syncthreads();
  atomicAdd(&s, f[0]);
  atomicAdd(f, 1.f);
  atomicAdd(d, 1.0);
  atomicMax(f, 1.f);
  atomicMin(f, 1.f);
  atomicMax(d, 1.0);
  f[1] = atomicExch(f, 2.f);
  unsafeAtomicAdd(f, 1.f);
  unsafeAtomicAdd(d, 1.0);
  atomicAddNoRet(f, 1.f);
  atomicSub(f, 1.f);
  atomicCAS(f, 1.f, 2.f);
}
__device__ float max_by_cas(float* p, float v) {
  int* bits = (int*)p;
  int old = *bits, assumed;
  do {
    assumed = old;
    old = atomicCAS(bits, assumed, __float_as_int(fmaxf(v, __int_as_float(assumed))));
  } while (assumed != old);
  return __int_as_float(old);
}
__global__ void by_cas(float* p, const float* v) { max_by_cas(p, v[threadIdx.x]); }
__global__ void narrow(__half* h, __half2* h2) {
  atomicAdd(h, __float2half(1.f));
  atomicAdd(h2, __float2half2_rn(1.f));
  unsafeAtomicAdd(h2, __float2half2_rn(1.f));
}
