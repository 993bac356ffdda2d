// SPDX-License-Identifier: Apache-2.0
// Benchmarks that list themselves, and the one way to time a piece of work beside a yardstick.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace heed::cli {

// One line of the table. A time alone says little on a shared machine, so every row carries its
// share of a yardstick measured just before and after it.
struct BenchRow {
  std::string name;
  int threads = 1;
  double ms = 0;  // best of many runs
  std::optional<double> gflops{};
  std::optional<double> fraction_of_fma{};  // of the FMA loop, times threads
  std::optional<double> gbs{};
  std::optional<double> fraction_of_stream{};  // of the copy loop with the same number of threads
};

// What one run does: floating-point operations, or bytes read plus written; one of the two.
struct Work {
  double flops = 0;
  double bytes = 0;
};

// Runs `run` again and again for about half a second, in samples of at least a millisecond.
BenchRow measure(const std::string& name, const Work& work, const std::function<void()>& run);

struct Benchmark {
  std::string name;
  std::string summary;
  std::function<std::vector<BenchRow>()> run;
};

// Every listed benchmark, by name.
const std::vector<Benchmark>& benchmarks();

struct ListedBenchmark {
  explicit ListedBenchmark(Benchmark benchmark);
};

}  // namespace heed::cli
