// kernels: k
// expect: bad_plan __managed__ variable "state"
__attribute__((managed)) int state;
__global__ void k(int* out) { out[0] = state; }
