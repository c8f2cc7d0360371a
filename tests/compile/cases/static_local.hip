// kernels: k
// expect: bad_plan static variable "calls"
__global__ void k(int* out) {
  static int calls = 0;
  out[0] = ++calls;
}
