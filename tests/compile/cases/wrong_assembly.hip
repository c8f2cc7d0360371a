// kernels: k
// expect: compile_error kernel.hip:5
// expect cpu: not_judged_here inline assembly
__global__ void k(float* out) {
  asm volatile("mov eax, 1");
}
