// kernel: k; } __global__ void evil(float* x) { x[0] = 2
// expect: bad_plan is not a C++ name expression
__global__ void k(float* x) { x[0] = 1; }
