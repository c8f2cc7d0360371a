// kernels: k
// expect: compile_error line 4: #include of "torch/extension.h"
// diagnostics: 'torch/extension.h' file not found
#include <torch/extension.h>
__global__ void k(float* x) { x[0] = 1; }
