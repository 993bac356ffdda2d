// SPDX-License-Identifier: Apache-2.0
// The one place that includes Highway and chooses its CPU targets. Include after setting
// HWY_TARGET_INCLUDE.
//
// Compiled: AVX3 (AVX-512), AVX2, SSE4 and the portable baseline. SSSE3 is left out: no machine has
// it without SSE4 that anyone would run this on, and each target costs build time.
#ifndef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (HWY_SSSE3)
#endif
#if defined(HEED_BASELINE_ONLY) && !defined(HWY_COMPILE_ONLY_STATIC)
#define HWY_COMPILE_ONLY_STATIC
#endif
#include <hwy/foreach_target.h>  // re-includes HWY_TARGET_INCLUDE once per target
#include <hwy/highway.h>
