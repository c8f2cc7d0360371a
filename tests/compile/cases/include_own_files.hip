// kernels: k
// expect: compile_error line 3: #include of "/kvgen/unit.hip"
#include "/kvgen/unit.hip"
__global__ void k(float* x) { x[0] = 1; }
