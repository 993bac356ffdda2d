// SPDX-License-Identifier: Apache-2.0
// Values that stay in a register while they are used several times; included once per CPU target
// (see highway.h).
#if defined(HEED_KERNELS_IN_REGISTER_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_KERNELS_IN_REGISTER_INL_H_
#undef HEED_KERNELS_IN_REGISTER_INL_H_
#else
#define HEED_KERNELS_IN_REGISTER_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

// v, read once: GCC 12 else reads it from memory again for each of its uses, and products that use
// it several times run at half their speed (52 instead of 87 GFLOP/s beside an FMA loop of 102).
template <class V>
HWY_INLINE V InRegister(V v) {
#if HWY_COMPILER_GCC_ACTUAL && HWY_ARCH_X86 && HWY_TARGET < HWY_EMU128
  asm("" : "+v"(v.raw));
#endif
  return v;
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // HEED_KERNELS_IN_REGISTER_INL_H_
