// expect: ok
#include <cstdlib>
__global__ void ends(int* a) {
  if (a[0] > 1) abort();
  if (a[0] > 2) __builtin_trap();
  if (a[0] > 3) __builtin_unreachable();
  if (__builtin_expect(a[0] > 4, 0)) a[1] = 2;
  a[2] = __builtin_assume_aligned(a, 16) != nullptr;
}
