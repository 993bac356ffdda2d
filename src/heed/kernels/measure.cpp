// SPDX-License-Identifier: Apache-2.0
// Measures multiply-adds per second of one core and the copy rate of memory, and reads.
#include "heed/kernels/measure.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#include "heed/base/threads.h"
#include "heed/kernels/dispatch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/measure.cpp"
#include "heed/kernels/highway.h"
// After highway.h: compiled once per target.
#include "heed/kernels/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Runs `rounds` of twelve independent multiply-adds (four cycles of latency on two ports need
// eight) and returns the number of floating-point operations; sink gets what they computed.
std::size_t FmaRounds(std::size_t rounds, float factor, float summand, float* sink) {
  const hn::ScalableTag<float> d;
  const auto m = hn::Set(d, factor), a = hn::Set(d, summand);
  // Different starts, or the compiler would keep one of the twelve.
  auto v0 = hn::Set(d, 0.0f), v1 = hn::Set(d, 1.0f), v2 = hn::Set(d, 2.0f);
  auto v3 = hn::Set(d, 3.0f), v4 = hn::Set(d, 4.0f), v5 = hn::Set(d, 5.0f);
  auto v6 = hn::Set(d, 6.0f), v7 = hn::Set(d, 7.0f), v8 = hn::Set(d, 8.0f);
  auto v9 = hn::Set(d, 9.0f), v10 = hn::Set(d, 10.0f), v11 = hn::Set(d, 11.0f);
  for (std::size_t i = 0; i < rounds; ++i) {
    v0 = hn::MulAdd(v0, m, a);
    v1 = hn::MulAdd(v1, m, a);
    v2 = hn::MulAdd(v2, m, a);
    v3 = hn::MulAdd(v3, m, a);
    v4 = hn::MulAdd(v4, m, a);
    v5 = hn::MulAdd(v5, m, a);
    v6 = hn::MulAdd(v6, m, a);
    v7 = hn::MulAdd(v7, m, a);
    v8 = hn::MulAdd(v8, m, a);
    v9 = hn::MulAdd(v9, m, a);
    v10 = hn::MulAdd(v10, m, a);
    v11 = hn::MulAdd(v11, m, a);
  }
  v0 = hn::Add(hn::Add(hn::Add(v0, v1), hn::Add(v2, v3)), hn::Add(hn::Add(v4, v5), v6));
  v7 = hn::Add(hn::Add(hn::Add(v7, v8), hn::Add(v9, v10)), v11);
  *sink = hn::GetLane(hn::SumOfLanes(d, hn::Add(v0, v7)));
  return rounds * 12 * 2 * hn::Lanes(d);
}

// Copies n floats, n a multiple of 64, with ordinary stores. Four vectors at a time: a plainer loop
// is recognised as memcpy, which bypasses the cache.
void CopyRange(const float* x, float* y, std::size_t n) {
  const hn::ScalableTag<float> d;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t i = 0; i < n; i += 4 * lanes) {
    const auto v0 = hn::LoadU(d, x + i), v1 = hn::LoadU(d, x + i + lanes);
    const auto v2 = hn::LoadU(d, x + i + 2 * lanes), v3 = hn::LoadU(d, x + i + 3 * lanes);
    hn::StoreU(v0, d, y + i);
    hn::StoreU(v1, d, y + i + lanes);
    hn::StoreU(v2, d, y + i + 2 * lanes);
    hn::StoreU(v3, d, y + i + 3 * lanes);
  }
}

// Four chains, so that no load waits for an earlier one.
std::uint32_t ReadWords(const std::uint32_t* words, std::size_t count) {
  const hn::ScalableTag<std::uint32_t> d;
  const std::size_t lanes = hn::Lanes(d);
  auto v0 = hn::Zero(d), v1 = hn::Zero(d), v2 = hn::Zero(d), v3 = hn::Zero(d);
  std::size_t i = 0;
  for (; i + 4 * lanes <= count; i += 4 * lanes) {
    v0 = hn::Xor(v0, hn::LoadU(d, words + i));
    v1 = hn::Xor(v1, hn::LoadU(d, words + i + lanes));
    v2 = hn::Xor(v2, hn::LoadU(d, words + i + 2 * lanes));
    v3 = hn::Xor(v3, hn::LoadU(d, words + i + 3 * lanes));
  }
  HWY_ALIGN WholeVectors<std::uint32_t, 1> parts;
  hn::Store(hn::Xor(hn::Xor(v0, v1), hn::Xor(v2, v3)), d, parts);
  std::uint32_t all = 0;
  for (std::size_t lane = 0; lane < lanes; ++lane) all ^= parts[lane];
  for (; i < count; ++i) all ^= words[i];
  return all;
}

}  // namespace HWY_NAMESPACE
}  // namespace heed::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {

HWY_EXPORT(FmaRounds);
HWY_EXPORT(CopyRange);
HWY_EXPORT(ReadWords);

namespace {

double now() noexcept {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(since).count();
}

}  // namespace

double fma_gflops(double seconds) noexcept {
  const auto run = HWY_DYNAMIC_DISPATCH(FmaRounds);
  volatile float factor = 0.999f, summand = 0.001f;
  volatile float keep = 0;
  const double stop = now() + seconds;
  std::size_t rounds = 1000;
  double best = 0;
  do {
    float sink = 0;
    const double begin = now();
    const std::size_t operations = run(rounds, factor, summand, &sink);
    const double elapsed = now() - begin;
    keep = sink;
    if (elapsed < 5e-4) {
      rounds *= 2;  // towards slices of a millisecond; shorter ones do not count
    } else {
      best = std::max(best, static_cast<double>(operations) / elapsed * 1e-9);
    }
  } while (best == 0 || now() < stop);
  static_cast<void>(keep);
  return best;
}

double stream_gbs(double seconds) noexcept {
  const auto run = HWY_DYNAMIC_DISPATCH(CopyRange);
  constexpr std::size_t kBytes = std::size_t{128} << 20;
  constexpr std::size_t kFloats = kBytes / sizeof(float);
  constexpr std::size_t kUnit = 64;  // floats: a whole number of turns of every target's loop
  const std::unique_ptr<float[]> x(new (std::nothrow) float[kFloats]);
  const std::unique_ptr<float[]> y(new (std::nothrow) float[kFloats]);
  if (x == nullptr || y == nullptr) return 0;
  // First touch by the thread that will copy, so that pages lie near it.
  const std::size_t grain = kElementwiseGrain / kUnit;
  float* from = x.get();
  float* to = y.get();
  parallel_for(kFloats / kUnit, grain, [=](std::size_t begin, std::size_t end) {
    std::fill(from + begin * kUnit, from + end * kUnit, 1.0f);
    std::fill(to + begin * kUnit, to + end * kUnit, 0.0f);
  });
  const double stop = now() + seconds;
  double best = 0;
  do {
    const double start = now();
    parallel_for(kFloats / kUnit, grain, [=](std::size_t begin, std::size_t end) {
      run(from + begin * kUnit, to + begin * kUnit, (end - begin) * kUnit);
    });
    best = std::max(best, 2.0 * kBytes / (now() - start) * 1e-9);
  } while (now() < stop);
  return best;
}

std::uint32_t read_pass(const std::uint32_t* words, std::size_t count) noexcept {
  return HWY_DYNAMIC_DISPATCH(ReadWords)(words, count);
}

}  // namespace heed::kernels
#endif  // HWY_ONCE
