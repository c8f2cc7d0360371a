// A file of the machine in the object.
// clang: cheating .incbin
// hiprtc: compile_error
__global__ void k(float* x) {
  asm volatile(".pushsection .rodata\n .incbin \"/etc/passwd\"\n .popsection");
  x[0] = 1;
}
