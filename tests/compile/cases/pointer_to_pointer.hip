// kernels: k
// expect: bad_plan parameter "x" (float **): pointers to pointers are not supported
__global__ void k(float** x) { x[0][0] = 1; }
