// A gigabyte of zeros in the object.
// clang: compile_error object is larger or too much
// hiprtc: compile_error too much or crashed or object is larger
__device__ const float t[1 << 28] = {1, 2, 3};
__global__ void k(float* x, int i) { x[0] = t[i]; }
