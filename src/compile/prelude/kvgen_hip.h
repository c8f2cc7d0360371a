#pragma once
// The prelude: what HIP device code finds without any header. The same text for every target,
// so that a candidate's tokens do not depend on where it is compiled; only the two
// kvgen_target_*.h differ, and they define functions, never macros a candidate can see.
// Bump the version with any change that a candidate can observe.
#define KVGEN_PRELUDE 1

#pragma clang system_header
#pragma clang force_cuda_host_device begin

// clang-format off: each uses those before it
#include "kvgen_types.h"
#include "kvgen_std.h"
#include "kvgen_vector.h"
#if defined(__AMDGCN__)
#include "kvgen_target_amdgcn.h"
#else
#include "kvgen_target_cpu.h"
#endif
#include "kvgen_index.h"
#include "kvgen_bits.h"
#include "kvgen_math.h"
#include "kvgen_half.h"
#include "kvgen_half2.h"
#include "kvgen_bfloat16.h"
#include "kvgen_atomic.h"
#include "kvgen_wave.h"
#include "kvgen_groups.h"
#include "kvgen_host.h"
// clang-format on

#pragma clang force_cuda_host_device end

// The compilers that a candidate is built with differ here only: it sees one of them.
#undef __clang_version__
#undef __VERSION__
#undef __clang_major__
#undef __clang_minor__
#undef __clang_patchlevel__
#define __clang_major__ 22
#define __clang_minor__ 0
#define __clang_patchlevel__ 0
