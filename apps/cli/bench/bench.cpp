// SPDX-License-Identifier: Apache-2.0
// `heed bench`: how fast each layer is here, as shares of what this machine can do.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/bench/harness.h"
#include "cli/verb.h"
#include "heed/base/error.h"
#include "heed/base/progress.h"
#include "heed/base/text.h"
#include "heed/base/threads.h"

namespace heed::cli {
namespace {

std::string optional_text(const std::optional<double>& value, const char* format) {
  return value ? fmt::format(fmt::runtime(format), *value) : "";
}

void print_table(const std::vector<BenchRow>& rows) {
  fmt::print("{:<28} {:>7} {:>11} {:>9} {:>8} {:>9} {:>11}\n", "name", "threads", "ms", "GFLOP/s",
             "of FMA", "GB/s", "of stream");
  for (const BenchRow& row : rows) {
    fmt::print("{:<28} {:>7} {:>11} {:>9} {:>8} {:>9} {:>11}\n", row.name, row.threads,
               fmt::format("{:.4g}", row.ms), optional_text(row.gflops, "{:.1f}"),
               optional_text(row.fraction_of_fma, "{:.2f}"), optional_text(row.gbs, "{:.1f}"),
               optional_text(row.fraction_of_stream, "{:.2f}"));
  }
}

void print_json(const std::vector<BenchRow>& rows) {
  auto all = nlohmann::json::array();
  for (const BenchRow& row : rows) {
    nlohmann::json entry{{"name", row.name}, {"threads", row.threads}, {"ms", row.ms}};
    if (row.gflops) entry["gflops"] = *row.gflops;
    if (row.fraction_of_fma) entry["fraction_of_fma"] = *row.fraction_of_fma;
    if (row.gbs) entry["gbs"] = *row.gbs;
    if (row.fraction_of_stream) entry["fraction_of_stream"] = *row.fraction_of_stream;
    all.push_back(entry);
  }
  fmt::print("{}\n", all.dump(2));
}

struct Asked {
  std::vector<std::string> names;
  bool json = false;
};

std::vector<Benchmark> chosen(const Asked& asked) {
  if (asked.names.empty()) return benchmarks();
  std::vector<std::string> known;
  for (const Benchmark& benchmark : benchmarks()) known.push_back(benchmark.name);
  std::vector<Benchmark> some;
  for (const std::string& name : asked.names) {
    const auto found = std::find(known.begin(), known.end(), name);
    if (found == known.end()) {
      throw UsageError("there is no benchmark \"{}\"{}; there are {}", name,
                       did_you_mean(name, known), join(known, ", "));
    }
    some.push_back(benchmarks()[static_cast<std::size_t>(found - known.begin())]);
  }
  return some;
}

void run(const Asked& asked) {
  std::vector<BenchRow> rows;
  const std::vector<Benchmark> some = chosen(asked);
  {
    Progress progress({.what = "bench", .total = some.size()});
    for (std::size_t i = 0; i < some.size(); ++i) {
      progress.update(i, some[i].name);
      for (BenchRow& row : some[i].run()) rows.push_back(std::move(row));
    }
  }
  asked.json ? print_json(rows) : print_table(rows);
}

Action setup(CLI::App& app) {
  auto asked = std::make_shared<Asked>();
  std::string list;
  for (const Benchmark& benchmark : benchmarks()) {
    list += fmt::format("\n  {:<12} {}", benchmark.name, benchmark.summary);
  }
  app.add_option("NAME", asked->names, "which benchmarks to run; all when none is named:" + list);
  app.add_flag("--json", asked->json, "print a JSON array of rows");
  return [asked] { run(*asked); };
}

const ListedVerb kListed(
    {.name = "bench",
     .summary = "Measure how fast each layer is on this machine",
     .description = "Every row carries its time (the best of many runs) and its share of a "
                    "yardstick measured in the same moments: the FMA loop for arithmetic, a "
                    "copy loop over 256 MiB (bytes read plus written) for memory. HEED_THREADS "
                    "sets the number of threads.",
     .example = "heed bench\nheed bench gemm recurrent --json",
     .setup = setup});

}  // namespace
}  // namespace heed::cli
