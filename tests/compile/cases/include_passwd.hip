// kernels: k
// expect: compile_error line 3: #include of "/etc/passwd"
#include "/etc/passwd"
__global__ void k(float* x) { x[0] = 1; }
