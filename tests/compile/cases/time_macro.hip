// kernels: k
// expect: compile_error line 3: __TIME__
__global__ void k(char* x) { x[0] = __TIME__[0]; }
