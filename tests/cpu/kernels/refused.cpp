// One object for each REFUSED_*: what an object must not hold.
#include "device.h"

static void kernel(float* out) { out[threadIdx.x] = 1; }
KERNEL(kernel)

#if defined(REFUSED_constructor)
volatile int begun;
__attribute__((constructor)) static void begin() { begun = begun + 1; }
#elif defined(REFUSED_thread_local)
thread_local int own = 3;
int* where() { return &own; }
#elif defined(REFUSED_undefined)
extern "C" int system(const char* command);
int call_out() { return system("true"); }
#elif defined(REFUSED_ifunc)
extern "C" {
int one() { return 1; }
void* choose() { return reinterpret_cast<void*>(&one); }
int chosen() __attribute__((ifunc("choose")));
}
int call_chosen() { return chosen(); }
#endif
