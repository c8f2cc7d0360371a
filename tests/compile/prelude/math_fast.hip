// expect: ok
__global__ void intrinsics(float* a) {
  const float x = a[0], y = a[1];
  float s, c;
  __sincosf(x, &s, &c);
  a[2] = s + c + __expf(x) + __logf(x) + __log2f(x) + __log10f(x) + __exp10f(x) + __powf(x, y);
  a[3] = __sinf(x) + __cosf(x) + __tanf(x) + __fdividef(x, y) + __frcp_rn(x) + __fsqrt_rn(x);
  a[4] = __frsqrt_rn(x) + __fmaf_rn(x, y, x) + __fadd_rn(x, y) + __fsub_rn(x, y) + __fmul_rn(x, y);
  a[5] = __fdiv_rn(x, y) + __saturatef(x) + rsqrtf(x) + __builtin_expf(x) + __builtin_fmaf(x, y, x);
}
