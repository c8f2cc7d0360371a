// expect: ok
#include <cassert>
#include <cstdio>
__global__ void prints(float* a, int n) {
  if (threadIdx.x == 0) printf("block %d: %f of %d\n", (int)blockIdx.x, a[0], n);
  assert(a[0] >= 0 && "never negative");
  assert(n > 0);
}
