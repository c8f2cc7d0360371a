// kernels: k
// expect: compile_error no matching function for call to 'helper'
// diagnostics: call to __host__ function
float helper(float v) { return v * 2; }
__global__ void k(float* x) { x[0] = helper(x[0]); }
