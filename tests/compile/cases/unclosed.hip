// kernels: k
// expect: compile_error
__global__ void k(float* x) { x[0] = 1; }
namespace {
