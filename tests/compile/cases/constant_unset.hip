// kernels: k
// expect: bad_plan __constant__ variable "weights" has no value
__constant__ float weights[3];
__global__ void k(float* out, int i) { out[0] = weights[i]; }
