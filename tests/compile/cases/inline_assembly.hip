// kernels: k
// expect: usable
// expect cpu: not_judged_here line 5: inline assembly
__global__ void k(float* out, float v) {
  asm volatile("v_add_f32 %0, %0, 1.0" : "+v"(v));
  out[0] = v;
}
