// kernels: k
// expect: compile_error line 3: __COUNTER__
__global__ void k(int* x) { x[0] = __COUNTER__; }
