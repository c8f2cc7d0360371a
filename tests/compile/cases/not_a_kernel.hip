// kernels: helper
// expect: bad_plan it is not a __global__ function
__device__ void helper(float* x) { x[0] = 1; }
__global__ void k(float* x) { helper(x); }
