// Lines are the candidate's own, whatever it says.
// kernels: k
// expect: compile_error kernel.hip:5:33: error
#line 77 "secret.h"
__global__ void k(float* x) { x[oops] = 1; }
