// kernels: k
// expect: bad_plan parameter "v" (float4): structures and vectors by value
__global__ void k(float* x, float4 v) { x[0] = v.x; }
