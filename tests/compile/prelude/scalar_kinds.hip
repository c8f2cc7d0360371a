// expect: ok
#include <hip/hip_fp16.h>
__global__ void kinds(float* out, bool b, __half h, char c, short s, double d, unsigned char u,
                      long l, unsigned long long q, _Float16 f) {
  out[0] = b + __half2float(h) + c + s + (float)d + u + l + q + (float)f;
}
