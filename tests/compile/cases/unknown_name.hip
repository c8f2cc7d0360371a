// kernels: k
// expect: compile_error kernel.hip:3:31: error: use of undeclared identifier 'foo'
__global__ void k(float* x) { foo(x); }
