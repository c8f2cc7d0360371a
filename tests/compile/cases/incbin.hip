// kernels: k
// expect: cheating .incbin
__global__ void k(float* out) {
  asm volatile(".incbin \"/etc/passwd\"");
}
