// expect: compile_error
__global__ void broken(float* a) { a[0] = no_such_function(a[1]); }
