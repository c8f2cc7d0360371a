#ifndef KVGEN_CPU_ABI_H
#define KVGEN_CPU_ABI_H

/* What an object for the cpu device looks like, for the three who must agree: the
   prelude that kernels see, the toolchain that emits objects, the runtime that
   loads and runs them. C, and without includes, so that a prelude may hold it.

   Object. An x86-64 ELF shared object (ET_DYN) without DT_NEEDED, made by
   `lld -shared -Bsymbolic --hash-style=sysv -z now -z norelro -z noexecstack`
   from one translation unit compiled with -fPIC and -fstack-clash-protection (the
   page below each thread's stack has no access; frames must touch their pages in
   order). The runtime loads it with a loader of its own, once for each OS thread,
   so writable globals of the object are per OS thread. Allowed: relocations
   R_X86_64_RELATIVE, _64, _GLOB_DAT, _JUMP_SLOT; undefined symbols from the
   list below, weak or not. Refused: constructors and destructors (INIT, FINI and
   their arrays), IFUNC, TLS, COPY and text relocations, segments both writable and
   executable, symbol versions, any other undefined symbol, more than 64 MiB.

   Exports. The object exports `kvgen_cpu_object` (below) and, for each kernel whose
   symbol is S, one function

       void kvgen_entry.S(const kvgen_cpu_slot* arguments);

   that runs one thread of the kernel. Argument i is slot i: the parameter's
   bytes, little-endian, from the slot's first byte; the rest of the slot is
   unspecified. A parameter is at most 8 bytes (pointers, integers, bool, float,
   double, half, bfloat16). S is what KernelInfo.symbol and ResolvedLaunch.symbol say.
   Optionally, only for a kernel that cannot reach a barrier or a wave operation,

       void kvgen_loop.S(const kvgen_cpu_slot* arguments);

   runs every thread of the block that kvgen_cpu_current.block_idx names, x fastest; it
   sets thread_idx, linear and lane itself. The runtime prefers it under the forward schedule.

   Context. The translation unit defines (the prelude does)

       __attribute__((visibility("hidden"))) kvgen_cpu_context kvgen_cpu_current;

   which the runtime sets before a thread runs and again whenever it resumes.

   LDS. Variables in `__shared__` with a size go to the section "kvgen_lds" (they are not
   initialised; the runtime poisons the section before each block). Every
   `extern __shared__` array is the one undefined symbol `kvgen_cpu_dynamic_lds`, of
   default visibility, so reached through the GOT: the runtime rewrites
   its slots at each launch, 16-byte aligned. Static and dynamic LDS are apart.

   Waves. Lanes are consecutive linear threads, 64 a wave. Lanes run one after
   another between the functions below; a wave operation takes place once no lane of
   the wave can run: of the lanes that wait at one, those with the smallest
   site take part, the others stay (minimum-PC reconvergence). A `site` tells one place in
   the source from another: KVGEN_CPU_SITE(line, column). */

#define KVGEN_CPU_ABI_VERSION 1u
#define KVGEN_CPU_MAGIC 0x6e67766bu /* "kvgn" */
#define KVGEN_CPU_WAVE 64
#define KVGEN_CPU_THREADS_LIMIT 1024
#define KVGEN_CPU_ENTRY_PREFIX "kvgen_entry."
#define KVGEN_CPU_LOOP_PREFIX "kvgen_loop."
#define KVGEN_CPU_LDS_SECTION "kvgen_lds"

#define KVGEN_CPU_SITE(line, column) \
  (((unsigned)(line) << 10) | ((unsigned)(column) > 1023u ? 1023u : (unsigned)(column)))
#define KVGEN_CPU_SITE_LINE(site) ((site) >> 10)

/* The instruction set that an object needs: x86-64-v2, -v3 or -v4. */
#define KVGEN_CPU_ISA_V2 2u
#define KVGEN_CPU_ISA_V3 3u
#define KVGEN_CPU_ISA_V4 4u

/* In device code the prelude defines this as __device__ before it includes us. */
#ifndef KVGEN_CPU_DEVICE
#define KVGEN_CPU_DEVICE
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef unsigned long long kvgen_cpu_slot;

typedef struct kvgen_cpu_index {
  unsigned x, y, z;
} kvgen_cpu_index;

typedef struct kvgen_cpu_context {
  kvgen_cpu_index thread_idx;
  kvgen_cpu_index block_idx;
  kvgen_cpu_index block_dim;
  kvgen_cpu_index grid_dim;
  unsigned lane;   /* linear % 64 */
  unsigned linear; /* thread_idx.x + block_dim.x * (thread_idx.y + block_dim.y * thread_idx.z) */
  unsigned dynamic_lds; /* bytes of this launch */
  unsigned reserved;
} kvgen_cpu_context;

/* Exported, const, of default visibility, name kvgen_cpu_object:
     extern char __start_kvgen_lds[], __stop_kvgen_lds[];  both weak and hidden
     const kvgen_cpu_object_info kvgen_cpu_object = {KVGEN_CPU_MAGIC, KVGEN_CPU_ABI_VERSION,
         KVGEN_CPU_ISA_V3, 0, &kvgen_cpu_current, __start_kvgen_lds, __stop_kvgen_lds}; */
typedef struct kvgen_cpu_object_info {
  unsigned magic;
  unsigned abi;
  unsigned isa;
  unsigned reserved;
  kvgen_cpu_context* context;
  char* lds_begin; /* null when there is none */
  char* lds_end;
} kvgen_cpu_object_info;

/* ---- what the object may import ------------------------------------------------ */

/* Waits for all threads of the block. Threads that wait at different sites, or a thread
   that returned before, end the run as barrier_divergence. */
KVGEN_CPU_DEVICE void kvgen_cpu_barrier(unsigned site);

#define KVGEN_CPU_VOTE_COUNT 0u
#define KVGEN_CPU_VOTE_AND 1u
#define KVGEN_CPU_VOTE_OR 2u
/* A barrier that gives every thread the count, conjunction or disjunction (0 or 1)
   of predicate != 0 over the block. */
KVGEN_CPU_DEVICE int kvgen_cpu_barrier_vote(unsigned vote, int predicate, unsigned site);

/* Wave operation: the value that lane source % 64 gave; 0 when it does not take
   part. KVGEN_CPU_FIRST_LANE: the first lane that takes part. The caller applies
   widths and keeps its own value where HIP says so. */
#define KVGEN_CPU_FIRST_LANE (-1)
KVGEN_CPU_DEVICE unsigned long long kvgen_cpu_shuffle(unsigned long long value, int source,
                                                      unsigned site);

/* Wave operation: bit l is set when lane l takes part with predicate != 0. */
KVGEN_CPU_DEVICE unsigned long long kvgen_cpu_ballot(int predicate, unsigned site);

/* Wave operation without a value. */
KVGEN_CPU_DEVICE void kvgen_cpu_wave_sync(unsigned site);

/* Wave operation: calls run once for the whole wave with lanes[l] the `mine` of lane l
   (null where bit l of active is clear; it usually points into that lane's
   stack), then all go on. run must not call a barrier or a wave operation. For MFMA, DPP,
   match, permutes. All lanes of one site must give the same run. */
typedef void (*kvgen_cpu_wave_function)(void** lanes, unsigned long long active);
KVGEN_CPU_DEVICE void kvgen_cpu_wave_exec(void* mine, kvgen_cpu_wave_function run, unsigned site);

/* Lanes that took part in this lane's last wave operation; all lanes of the wave
   before the first. Not a wave operation. */
KVGEN_CPU_DEVICE unsigned long long kvgen_cpu_last_active(void);

/* printf with C's formats; text past 64 KB of a run is dropped. */
KVGEN_CPU_DEVICE int kvgen_cpu_printf(const char* format, ...)
    __attribute__((format(printf, 1, 2)));

/* Ends the run as a crash. __builtin_trap does too, without a site. */
KVGEN_CPU_DEVICE void kvgen_cpu_trap(unsigned site) __attribute__((noreturn));
KVGEN_CPU_DEVICE void kvgen_cpu_assert_fail(const char* expression, const char* file, unsigned line)
    __attribute__((noreturn));

/* A monotonic counter (nanoseconds). */
KVGEN_CPU_DEVICE unsigned long long kvgen_cpu_clock(void);

#ifdef __cplusplus
}
#endif

/* And, with their usual C types and meaning: */

/* clang-format off */
#define KVGEN_CPU_IMPORTED_MEMORY(X) \
  X(memcpy) X(memmove) X(memset) X(memcmp) X(bcmp) X(strlen)

/* Each as double NAME and float NAMEf. */
#define KVGEN_CPU_IMPORTED_MATH1(X) \
  X(acos) X(acosh) X(asin) X(asinh) X(atan) X(atanh) X(cbrt) X(ceil) X(cos) X(cosh) X(erf) \
  X(erfc) X(exp) X(exp2) X(exp10) X(expm1) X(fabs) X(floor) X(lgamma) X(log) X(log10) X(log1p) \
  X(log2) X(logb) X(nearbyint) X(rint) X(round) X(roundeven) X(sin) X(sinh) X(sqrt) X(tan) \
  X(tanh) X(tgamma) X(trunc) X(j0) X(j1) X(y0) X(y1)
#define KVGEN_CPU_IMPORTED_MATH2(X) \
  X(atan2) X(copysign) X(fdim) X(fmax) X(fmin) X(fmod) X(hypot) X(nextafter) X(pow) X(remainder)
/* Their own types, again with the f form. */
#define KVGEN_CPU_IMPORTED_MATH_OTHER(X) \
  X(fma) X(ldexp) X(scalbn) X(scalbln) X(frexp) X(modf) X(ilogb) X(remquo) X(sincos) X(lrint) \
  X(llrint) X(lround) X(llround) X(jn) X(yn)

/* Conversions and wide integers that the back end calls by itself. */
#define KVGEN_CPU_IMPORTED_BUILTINS(X) \
  X(__extendhfsf2) X(__truncsfhf2) X(__truncdfhf2) X(__truncsfbf2) X(__truncdfbf2) X(__udivti3) \
  X(__divti3) X(__umodti3) X(__modti3)
/* clang-format on */

#endif
