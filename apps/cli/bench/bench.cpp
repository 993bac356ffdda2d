// SPDX-License-Identifier: Apache-2.0
// `heed bench`: how fast each layer is here, as shares of what this machine can do.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/bench/harness.h"
#include "cli/verb.h"
#include "heed/base/error.h"
#include "heed/base/progress.h"
#include "heed/base/text.h"

namespace heed::cli {
namespace {

// A column of the table: its heading and what a row shows in it, "" for nothing.
struct Column {
  std::string heading;
  std::function<std::string(const BenchRow&)> text;
};

Column number_column(const char* heading, const char* format,
                     std::optional<double> BenchRow::*field) {
  return {heading, [=](const BenchRow& row) {
            return row.*field ? fmt::format(fmt::runtime(format), *(row.*field)) : "";
          }};
}

std::string goal_text(const BenchRow& row) {
  if (!row.goal) return "";
  const bool bytes = !row.ratio && !row.best_fraction;
  return fmt::format("{} {}", row.goal->at_least ? ">=" : "<=",
                     bytes ? human_bytes(static_cast<std::uint64_t>(row.goal->value))
                           : fmt::format("{:.2f}", row.goal->value));
}

std::vector<Column> columns() {
  return {{"threads", [](const BenchRow& row) { return fmt::format("{}", row.threads); }},
          {"ms", [](const BenchRow& row) { return fmt::format("{:.4g}", row.ms); }},
          number_column("p10", "{:.4g}", &BenchRow::p10),
          number_column("p90", "{:.4g}", &BenchRow::p90),
          number_column("GFLOP/s", "{:.1f}", &BenchRow::gflops),
          number_column("of FMA", "{:.2f}", &BenchRow::fraction_of_fma),
          number_column("best", "{:.2f}", &BenchRow::best_fraction),
          number_column("GB/s", "{:.1f}", &BenchRow::gbs),
          number_column("of stream", "{:.2f}", &BenchRow::fraction_of_stream),
          number_column("words/s", "{:.0f}", &BenchRow::words_per_second),
          {"extra",
           [](const BenchRow& row) {
             return row.extra_bytes ? human_bytes(static_cast<std::uint64_t>(*row.extra_bytes))
                                    : "";
           }},
          number_column("ratio", "{:.2f}", &BenchRow::ratio),
          {"wanted", goal_text}};
}

// Columns in which no row has anything are left out.
void print_table(const std::vector<BenchRow>& rows) {
  std::size_t width = 28;
  for (const BenchRow& row : rows) width = std::max(width, row.name.size());
  std::string heading = pad_right("name", width);
  std::vector<std::string> lines;
  for (const BenchRow& row : rows) lines.push_back(pad_right(row.name, width));
  for (const Column& column : columns()) {
    std::size_t widest = 0;
    std::vector<std::string> texts;
    for (const BenchRow& row : rows) {
      texts.push_back(column.text(row));
      widest = std::max(widest, texts.back().size());
    }
    if (widest == 0) continue;
    widest = std::max(widest, column.heading.size()) + 2;
    heading += pad_left(column.heading, widest);
    for (std::size_t i = 0; i < rows.size(); ++i) lines[i] += pad_left(texts[i], widest);
  }
  fmt::print("{}\n", heading);
  for (const std::string& line : lines) fmt::print("{}\n", line);
}

void print_json(const std::vector<BenchRow>& rows) {
  auto all = nlohmann::json::array();
  for (const BenchRow& row : rows) {
    nlohmann::json entry{{"name", row.name}, {"threads", row.threads}, {"ms", row.ms}};
    const auto add = [&](const char* name, const auto& value) {
      if (value) entry[name] = *value;
    };
    add("p10", row.p10);
    add("p90", row.p90);
    add("gflops", row.gflops);
    add("fraction_of_fma", row.fraction_of_fma);
    add("best_fraction", row.best_fraction);
    add("gbs", row.gbs);
    add("fraction_of_stream", row.fraction_of_stream);
    add("words_per_second", row.words_per_second);
    add("extra_bytes", row.extra_bytes);
    add("ratio", row.ratio);
    if (row.goal) entry[row.goal->at_least ? "at_least" : "at_most"] = row.goal->value;
    all.push_back(entry);
  }
  fmt::print("{}\n", all.dump(2));
}

struct Asked {
  std::vector<std::string> names;
  bool json = false;
  // Options that belong to one benchmark, by its name.
  std::vector<std::pair<std::string, Argument>> own;
};

void refuse_options_of_others(const Asked& asked) {
  for (const auto& [benchmark, option] : asked.own) {
    if (!option.given()) continue;
    for (const std::string& name : asked.names) {
      if (name != benchmark)
        throw UsageError("{} is for {}; {} does not take it", option.name(), benchmark, name);
    }
    if (asked.names.empty()) {
      throw UsageError("{0} is for {1}; say `heed bench {1} {0} ...`", option.name(), benchmark);
    }
  }
}

std::vector<Benchmark> chosen(const Asked& asked) {
  std::vector<Benchmark> some;
  if (asked.names.empty()) {
    std::ranges::copy_if(benchmarks(), std::back_inserter(some),
                         [](const Benchmark& benchmark) { return !benchmark.print; });
    return some;
  }
  std::vector<std::string> known;
  for (const Benchmark& benchmark : benchmarks()) known.push_back(benchmark.name);
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
  refuse_options_of_others(asked);
  for (const Benchmark& benchmark : some) {
    if (!benchmark.print) continue;
    if (some.size() == 1) return benchmark.print(asked.json);
    throw UsageError("{} has a table of its own: ask for it alone", benchmark.name);
  }
  {
    Progress progress({.what = "bench", .total = some.size()});
    for (std::size_t i = 0; i < some.size(); ++i) {
      progress.update(i, some[i].name);
      for (BenchRow& row : some[i].run()) rows.push_back(std::move(row));
    }
  }
  asked.json ? print_json(rows) : print_table(rows);
}

Action set_up(CommandLine& line) {
  auto asked = std::make_shared<Asked>();
  std::string list;
  std::vector<std::string> only_named;
  for (const Benchmark& benchmark : benchmarks()) {
    if (benchmark.print) only_named.push_back(benchmark.name);
    list += fmt::format("\n  {:<12} {}", benchmark.name, benchmark.summary);
  }
  line.add("NAME", asked->names,
           fmt::format("which benchmarks to run; when none is named, all but {}:{}",
                       join(only_named, ", "), list));
  line.add_flag("--json", asked->json, "print a JSON array of rows");
  for (const Benchmark& benchmark : benchmarks()) {
    if (!benchmark.declare) continue;
    const std::size_t before = line.arguments().size();
    benchmark.declare(line);
    std::vector<Argument> all = line.arguments();
    for (std::size_t i = before; i < all.size(); ++i) {
      all[i].group("Options of " + benchmark.name);
      asked->own.emplace_back(benchmark.name, all[i]);
    }
  }
  return [asked] { run(*asked); };
}

const ListedVerb kListed(
    {.name = "bench",
     .summary = "Measure how fast each layer is on this machine",
     .description = "Every row carries its time (the best of many runs; for attention the "
                    "median) and its share of a yardstick measured in the same moments: the FMA "
                    "loop for arithmetic, a "
                    "copy loop over 256 MiB (bytes read plus written) for memory. HEED_THREADS "
                    "sets the number of threads.",
     .example = "heed bench\nheed bench gemm recurrent --json\n"
                "heed bench attention --shape 1,8,1024,1024,64 --spec \"scaled_dot | causal\"",
     .setup = set_up});

}  // namespace
}  // namespace heed::cli
