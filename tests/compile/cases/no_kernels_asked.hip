// kernels:
// expect: usable
__global__ void first(float* x) { x[0] = 1; }
__global__ void second(float* x) { x[0] = 1; }
