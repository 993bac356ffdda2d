// SPDX-License-Identifier: Apache-2.0
// The yardsticks of benchmarks: what this core can multiply-add, what memory can move, and a pass
// that does nothing but read.
#pragma once

#include <cstddef>
#include <cstdint>

#pragma GCC visibility push(default)  // exported

namespace heed::kernels {

// The best rate, in GFLOP/s of float, that one core reaches in independent fused multiply-adds over
// slices of about 1 ms within `seconds`.
double fma_gflops(double seconds) noexcept;

// The best rate, in GB/s read plus written, of a copy loop with ordinary stores over 256 MiB (128
// read, 128 written) on threads() threads within `seconds`; at least one full pass.
double stream_gbs(double seconds) noexcept;

// Reads `count` words once, on one thread, and returns their exclusive or.
std::uint32_t read_pass(const std::uint32_t* words, std::size_t count) noexcept;

}  // namespace heed::kernels

#pragma GCC visibility pop
