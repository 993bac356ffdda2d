// SPDX-License-Identifier: Apache-2.0
// The two yardsticks of every benchmark: what this core can multiply-add and what memory can move.
#pragma once

namespace heed::kernels {

// The best rate, in GFLOP/s of float, that one core reaches in independent fused multiply-adds over
// slices of about 1 ms within `seconds`.
double fma_gflops(double seconds) noexcept;

// The best rate, in GB/s read plus written, of a copy loop with ordinary stores over 256 MiB (128
// read, 128 written) on threads() threads within `seconds`; at least one full pass.
double stream_gbs(double seconds) noexcept;

}  // namespace heed::kernels
