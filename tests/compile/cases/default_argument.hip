// kernels: k
// expect: bad_plan parameter "n" (int): a default argument is not supported
__global__ void k(float* x, int n = 3) { x[0] = n; }
