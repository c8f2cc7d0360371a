// kernels: k
// expect: bad_plan parameter "s" (Shape): structures and vectors by value are not supported
struct Shape { int rows, cols; };
__global__ void k(float* x, Shape s) { x[0] = s.rows; }
