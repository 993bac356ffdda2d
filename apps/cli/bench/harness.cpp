// SPDX-License-Identifier: Apache-2.0
// Timing: the best of samples of a millisecond between two readings of the yardstick, or every run
// between two readings of its own.
#include "cli/bench/harness.h"

#include <algorithm>
#include <chrono>
#include <utility>

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

// Seconds of one run, the mean of this many.
double seconds_of(const PreparedRun& work, int repetitions) {
  double spent = 0;
  for (int i = 0; i < repetitions; ++i) {
    work.prepare();
    spent += seconds_of(work.run, 1);
  }
  return spent / repetitions;
}

// Runs that make a sample long enough for the clock and the first misses not to count. The first
// run warms caches and pools.
int repetitions_of(const PreparedRun& work) {
  constexpr double kSample = 2e-4;
  seconds_of(work, 1);
  const double once = seconds_of(work, 1);
  return std::clamp(static_cast<int>(kSample / (once + 1e-9)), 1, 1000);
}

// Asks again whether there is time for one more sample.
class Budget {
 public:
  explicit Budget(double seconds) : end_(now() + seconds) {}
  bool more() { return ++samples_ <= kFewest || (samples_ <= kMost && now() < end_); }

 private:
  static constexpr int kFewest = 5;
  static constexpr int kMost = 1000;
  static double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }
  double end_;
  int samples_ = 0;
};

// The value that `share` of the values stay below.
double quantile(std::vector<double> values, double share) {
  const auto place = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + place, values.end());
  return values[static_cast<std::size_t>(place)];
}

BenchRow row_of(const std::string& name, const std::vector<double>& seconds) {
  return {.name = name,
          .threads = threads(),
          .ms = quantile(seconds, 0.5) * 1e3,
          .p10 = quantile(seconds, 0.1) * 1e3,
          .p90 = quantile(seconds, 0.9) * 1e3};
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

BenchRow measure_paired(const std::string& name, double flops, const PreparedRun& work,
                        double seconds) {
  constexpr double kLoop = 1e-3;
  const int repetitions = repetitions_of(work);
  std::vector<double> times;
  std::vector<double> fractions;
  for (Budget budget(seconds); budget.more();) {
    const double before = kernels::fma_gflops(kLoop);
    times.push_back(seconds_of(work, repetitions));
    const double reference = std::max(before, kernels::fma_gflops(kLoop)) * threads();
    const double fraction = flops / times.back() * 1e-9 / reference;
    if (fraction <= 1) fractions.push_back(fraction);  // above: both loops were interrupted
  }
  BenchRow row = row_of(name, times);
  row.gflops = flops / row.ms * 1e-6;
  if (fractions.empty()) return row;
  row.fraction_of_fma = quantile(fractions, 0.5);
  row.best_fraction = quantile(fractions, 0.9);
  return row;
}

BenchRow measure_ratio(const std::string& name, const PreparedRun& work, const PreparedRun& other,
                       double seconds) {
  const int repetitions = repetitions_of(work);
  const int other_repetitions = repetitions_of(other);
  std::vector<double> times;
  std::vector<double> other_times;
  for (Budget budget(seconds); budget.more();) {
    times.push_back(seconds_of(work, repetitions));
    other_times.push_back(seconds_of(other, other_repetitions));
  }
  BenchRow row = row_of(name, times);
  row.ratio = quantile(times, 0.1) / quantile(other_times, 0.1);
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
