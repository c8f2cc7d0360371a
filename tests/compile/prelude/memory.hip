// expect: ok
#include <cstring>
__global__ void copies(float* a, const float* __restrict__ b) {
  float local[4];
  memcpy(local, b, 16);
  memset(a, 0, 16);
  std::memcpy(a + 4, local, sizeof local);
  a[8] = __ldg(b) + __ldg(b + 1);
  const float4 v = __ldg(reinterpret_cast<const float4*>(b));
  a[9] = v.x;
  volatile float* w = a;
  w[10] = w[11];
  memmove(a, a + 1, 8);
}
