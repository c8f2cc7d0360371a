// kernels: k
// expect: compile_error kernel function type 'int (float *)' must have void return type
__global__ int k(float* x) { return 0; }
