// SPDX-License-Identifier: Apache-2.0
// For kernel tests: run on every CPU target, in buffers of any alignment whose surroundings are
// watched.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/text.h"
#include "heed/kernels/targets.h"

namespace heed::kernels {

// The CPU targets to test: those that HEED_TARGETS names, such as AVX3 or AVX3,SSE4, else all that
// this machine can run.
inline std::vector<std::string> targets_to_test() {
  const char* named = std::getenv("HEED_TARGETS");
  if (named == nullptr) return supported_targets();
  std::vector<std::string> targets;
  for (const std::string_view name : split(named, ',')) targets.emplace_back(name);
  return targets;
}

// Calls body once per target to test, with that target pinned; one that this machine cannot run is
// a UsageError, which fails the test.
inline void on_every_target(const std::function<void()>& body) {
  for (const std::string& target : targets_to_test()) {
    SCOPED_TRACE("CPU target " + target);
    TargetScope scope(target);
    body();
  }
}

// n elements that start `offset` elements past a 64-byte boundary, between two stretches of a known
// pattern. A kernel that writes outside its output breaks the pattern, and the destructor reports
// it.
template <typename T>
class GuardedBuffer {
 public:
  explicit GuardedBuffer(std::size_t n, std::size_t offset = 0)
      : n_(n), bytes_(kAlignment + (offset + n + 2 * kGuard) * sizeof(T), kPattern) {
    const auto address = reinterpret_cast<std::uintptr_t>(bytes_.data());
    const std::uintptr_t aligned = (address + kAlignment - 1) / kAlignment * kAlignment;
    data_ = reinterpret_cast<T*>(aligned) + kGuard + offset;
  }
  ~GuardedBuffer() {
    const auto* begin = reinterpret_cast<const unsigned char*>(data_);
    const auto* end = reinterpret_cast<const unsigned char*>(data_ + n_);
    for (const auto* p = bytes_.data(); p != begin; ++p) check(*p);
    for (const auto* p = end; p != bytes_.data() + bytes_.size(); ++p) check(*p);
    EXPECT_EQ(broken_, 0) << "bytes written outside a buffer of " << n_ << " elements";
  }
  GuardedBuffer(const GuardedBuffer&) = delete;
  GuardedBuffer& operator=(const GuardedBuffer&) = delete;

  T* data() { return data_; }
  T& operator[](std::size_t i) { return data_[i]; }
  std::size_t size() const { return n_; }

 private:
  static constexpr std::size_t kAlignment = 64;
  static constexpr std::size_t kGuard =
      64;  // elements, so a multiple of the alignment for float and double
  // NaN as float and double: a kernel that reads outside its input and uses it gives NaN.
  static constexpr unsigned char kPattern = 0xFF;
  void check(unsigned char byte) { broken_ += byte != kPattern; }

  std::size_t n_;
  std::vector<unsigned char> bytes_;
  T* data_ = nullptr;
  int broken_ = 0;
};

// Fills n items with numbers between low and high, the same for the same seed.
template <typename T>
void fill_uniform(T* x, std::size_t n, double low, double high, std::uint32_t seed = 1) {
  for (std::size_t i = 0; i < n; ++i) {
    seed = seed * 1664525u + 1013904223u;
    x[i] = static_cast<T>(low + (high - low) * (seed >> 8) * 0x1p-24);
  }
}

// Distance in units in the last place of `reference`'s float or double neighbourhood; 0 when both
// are NaN.
template <typename T>
double ulp_error(T value, long double reference) {
  if (std::isnan(value) && std::isnan(reference)) return 0;
  if (static_cast<long double>(value) == reference) return 0;
  const T rounded = static_cast<T>(reference);
  if (std::isinf(rounded) || std::isinf(value)) return value == rounded ? 0 : INFINITY;
  const T above = std::nextafter(std::abs(rounded), static_cast<T>(INFINITY));
  const long double unit = static_cast<long double>(above) - std::abs(rounded);
  return static_cast<double>(std::abs(static_cast<long double>(value) - reference) / unit);
}

}  // namespace heed::kernels
