// kernels: k
// expect: compile_error kernel.hip:5:11: error: expected ';'
// diagnostics: x[0] = 1
__global__ void k(float* x) {
  x[0] = 1
  return;
}
