// The hash of what was compiled must tell the targets apart.
// kernels: k
// expect: usable
// tokens: differ
__global__ void k(float* x) {
#ifdef __gfx942__
  x[0] = 2;
#else
  x[0] = 1;
#endif
}
