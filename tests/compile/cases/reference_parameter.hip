// kernels: k
// expect: bad_plan line 3: kernel "k": parameter "n" (const int &): references are not supported
__global__ void k(float* x, const int& n) { x[0] = n; }
