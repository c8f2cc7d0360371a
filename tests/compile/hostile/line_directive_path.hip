// A path of its own choosing in the messages.
// clang: compile_error
// hiprtc: compile_error
#line 7 "/usr/lib/secret/place.h"
__global__ void k(float* x) { x[0] = nothing; }
