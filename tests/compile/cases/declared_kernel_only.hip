// kernels: k
// expect: bad_plan never defined
__global__ void k(float* x);
