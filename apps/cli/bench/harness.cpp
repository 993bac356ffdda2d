// SPDX-License-Identifier: Apache-2.0
// Timing: samples of a millisecond or more, the best of them, between two readings of the
// yardstick.
#include "cli/bench/harness.h"

#include <algorithm>
#include <chrono>

#include "heed/base/threads.h"
#include "heed/kernels/measure.h"

namespace heed::cli {
namespace {

std::vector<Benchmark>& listed() {
  static std::vector<Benchmark> all;
  return all;
}

double seconds_of(const std::function<void()>& run, int repetitions) {
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < repetitions; ++i) run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Seconds of the best run.
double best_seconds(const std::function<void()>& run) {
  constexpr double kSample = 1e-3;
  constexpr double kTotal = 0.5;
  run();  // warms caches and pools
  int repetitions = 1;
  double first = seconds_of(run, repetitions);
  while (first < kSample) {
    repetitions =
        std::max(2 * repetitions, static_cast<int>(repetitions * kSample / (first + 1e-9)));
    first = seconds_of(run, repetitions);
  }
  double best = first;
  double spent = first;
  for (int sample = 1; sample < 3 || spent < kTotal; ++sample) {
    const double seconds = seconds_of(run, repetitions);
    best = std::min(best, seconds);
    spent += seconds;
  }
  return best / repetitions;
}

}  // namespace

BenchRow measure(const std::string& name, const Work& work, const std::function<void()>& run) {
  const bool arithmetic = work.flops > 0;
  const auto yardstick = [&] {
    return arithmetic ? kernels::fma_gflops(0.02) * threads() : kernels::stream_gbs(0.2);
  };
  const double before = yardstick();
  const double seconds = best_seconds(run);
  const double reference = std::max(before, yardstick());
  BenchRow row{.name = name, .threads = threads(), .ms = seconds * 1e3};
  const double rate = (arithmetic ? work.flops : work.bytes) / seconds / 1e9;
  (arithmetic ? row.gflops : row.gbs) = rate;
  (arithmetic ? row.fraction_of_fma : row.fraction_of_stream) = rate / reference;
  return row;
}

const std::vector<Benchmark>& benchmarks() {
  std::sort(listed().begin(), listed().end(),
            [](const Benchmark& a, const Benchmark& b) { return a.name < b.name; });
  return listed();
}

ListedBenchmark::ListedBenchmark(Benchmark benchmark) {
  listed().push_back(std::move(benchmark));
}

}  // namespace heed::cli
