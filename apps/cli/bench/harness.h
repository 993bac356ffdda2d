// SPDX-License-Identifier: Apache-2.0
// Benchmarks that list themselves, and the ways to time a piece of work beside a yardstick.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/command_line.h"

namespace heed::cli {

// The figure a row is meant to show: its best fraction, its ratio, or its extra bytes.
struct Goal {
  bool at_least = true;  // otherwise at most
  double value = 0;
};

// One line of the table. A time alone says little on a shared machine, so every row carries its
// share of a yardstick measured just before and after it.
struct BenchRow {
  std::string name;
  int threads = 1;
  double ms = 0;                // best of many runs; the median where p10 and p90 are given
  std::optional<double> p10{};  // ms that a tenth of the runs stayed below
  std::optional<double> p90{};  // and nine tenths
  std::optional<double> gflops{};
  std::optional<double> fraction_of_fma{};  // of the FMA loop, times threads
  std::optional<double> best_fraction{};    // what a tenth of the runs reached
  std::optional<double> gbs{};
  std::optional<double> fraction_of_stream{};  // of the copy loop with the same number of threads
  std::optional<double> words_per_second{};    // target tokens, trained on or written
  std::optional<std::int64_t> extra_bytes{};   // peak memory beyond inputs and outputs
  std::optional<double> ratio{};               // to what the row's name says
  std::optional<Goal> goal{};
};

// What one run does: floating-point operations, or bytes read plus written; one of the two.
struct Work {
  double flops = 0;
  double bytes = 0;
};

// Runs `run` again and again for about half a second, in samples of at least a millisecond.
BenchRow measure(const std::string& name, const Work& work, const std::function<void()>& run);

// A run with what it needs made beforehand, untimed.
struct PreparedRun {
  std::function<void()> run;
  std::function<void()> prepare = [] {};
};

// Many short runs within `seconds`, each between two FMA loops of about a millisecond, of which the
// faster counts. A mean over longer times would mix quiet and busy moments of the machine.
BenchRow measure_paired(const std::string& name, double flops, const PreparedRun& work,
                        double seconds);

// The time of `work` over that of `other`, run in turns within `seconds`: best tenth by best tenth,
// as `ratio`. The times are those of `work`.
BenchRow measure_ratio(const std::string& name, const PreparedRun& work, const PreparedRun& other,
                       double seconds);

struct Benchmark {
  std::string name;
  std::string summary;
  std::function<std::vector<BenchRow>()> run = {};
  // Instead of rows: prints a table of its own, or JSON. Such a benchmark runs when it is named.
  std::function<void(bool json)> print = {};
  // Declares what only this benchmark reads; other benchmarks do not run with these.
  std::function<void(CommandLine&)> declare = {};
};

// Every listed benchmark, by name.
const std::vector<Benchmark>& benchmarks();

struct ListedBenchmark {
  explicit ListedBenchmark(Benchmark benchmark);
};

}  // namespace heed::cli
