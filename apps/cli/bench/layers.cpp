// SPDX-License-Identifier: Apache-2.0
// Time and memory of each kind of layer against n and d, fitted, beside the textbook's table.
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/bench/harness.h"
#include "cli/bench/layer_kinds.h"
#include "cli/output_files.h"
#include "heed/base/progress.h"
#include "heed/base/text.h"
#include "heed/base/threads.h"
#include "heed/insight/draw/line_plot.h"
#include "heed/nn/initialisers.h"
#include "heed/tensor/memory_use.h"

namespace heed::cli {
namespace {

constexpr std::int64_t kLengths[] = {512, 1024, 2048, 4096};
constexpr std::int64_t kWidths[] = {64, 128, 256};
constexpr std::int64_t kLength = 512;           // while the width changes
constexpr std::int64_t kWidth = 64;             // while the length changes
constexpr std::int64_t kCounted[] = {64, 128};  // lengths at which steps and paths are counted

struct Cost {
  double ms = 0;
  double bytes = 0;  // of tensors beyond the input, at most
};

// The least processor time of many runs: others on the machine cost it nothing.
double best_ms(const std::function<void()>& run) {
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
  };
  double best = std::numeric_limits<double>::infinity();
  const double end = now() + 300;
  for (int runs = 0; runs < 5 || now() < end; ++runs) {
    const double begin = now();
    run();
    best = std::min(best, now() - begin);
  }
  return best;
}

Cost cost_of(const LayerKind& kind, std::int64_t n, std::int64_t d) {
  const NoGradient no_graph;
  Random random(1);
  const SequenceLayer layer = kind.make(d, 0, random);
  const Variable x(nn::normal({1, n, d}, random));
  layer(x);  // what is made once is there
  const std::int64_t before = memory_use().bytes;
  start_memory_peak();
  layer(x);
  const auto bytes = static_cast<double>(memory_use().most_bytes - before);
  return {best_ms([&] { layer(x); }), bytes};
}

// Costs against sizes, and the exponents fitted to them.
struct Growth {
  std::vector<double> sizes{}, ms{}, bytes{};

  void add(std::int64_t size, const Cost& cost) {
    sizes.push_back(static_cast<double>(size));
    ms.push_back(cost.ms);
    bytes.push_back(cost.bytes);
  }
  double time_exponent() const { return fitted_exponent(sizes, ms); }
  double memory_exponent() const { return fitted_exponent(sizes, bytes); }
};

struct Row {
  const LayerKind* kind = nullptr;
  Growth in_n{}, in_d{};
  std::int64_t steps[2] = {}, paths[2] = {};  // at the two counted lengths
};

std::vector<Row> measure_all() {
  // A barrier between threads would bend the curves of short layers.
  const ThreadScope one(1);
  std::vector<Row> rows;
  Progress progress({.what = "layers", .total = layer_kinds().size()});
  for (const LayerKind& kind : layer_kinds()) {
    progress.update(rows.size(), kind.name);
    Row& row = rows.emplace_back(Row{.kind = &kind});
    for (const std::int64_t n : kLengths) row.in_n.add(n, cost_of(kind, n, kWidth));
    for (const std::int64_t d : kWidths) row.in_d.add(d, cost_of(kind, kLength, d));
    for (std::size_t i = 0; i < 2; ++i) {
      row.steps[i] = sequential_steps(kind, kCounted[i]);
      row.paths[i] = longest_path(kind, kCounted[i]);
    }
  }
  return rows;
}

void print_table(const std::vector<Row>& rows) {
  fmt::print("{:<32}{:>10}{:>10}{:>8}{:>8}{:>8}{:>8}   {:<8}{:<13}{}\n", "layer (one thread)",
             "ms n 512", "ms 4096", "time n", "time d", "mem n", "mem d", "work", "steps 64/128",
             "path 64/128");
  for (const Row& row : rows) {
    fmt::print(
        "{:<32}{:>10.3f}{:>10.3f}{:>8.2f}{:>8.2f}{:>8.2f}{:>8.2f}   {}{}{}\n", row.kind->name,
        row.in_n.ms.front(), row.in_n.ms.back(), row.in_n.time_exponent(), row.in_d.time_exponent(),
        row.in_n.memory_exponent(), row.in_d.memory_exponent(), pad_right(row.kind->work, 8),
        pad_right(fmt::format("{}/{} = {}", row.steps[0], row.steps[1], row.kind->steps), 13),
        fmt::format("{}/{} = {}", row.paths[0], row.paths[1], row.kind->path));
  }
  fmt::print(
      "\nTime and memory grow as n and d to the fitted power shown (n 512 to 4096 at d 64; d 64 to "
      "256 at n 512).\nSteps wait for each other, paths lead from the first position to the last; "
      "both are counted on the recorded graph,\nbehind = how they grow (Vaswani 2017, table 1).\n");
}

void print_json(const std::vector<Row>& rows) {
  auto all = nlohmann::json::array();
  for (const Row& row : rows) {
    all.push_back({{"name", row.kind->name},
                   {"n", row.in_n.sizes},
                   {"ms", row.in_n.ms},
                   {"bytes", row.in_n.bytes},
                   {"time_exponent_n", row.in_n.time_exponent()},
                   {"time_exponent_d", row.in_d.time_exponent()},
                   {"memory_exponent_n", row.in_n.memory_exponent()},
                   {"memory_exponent_d", row.in_d.memory_exponent()},
                   {"work", row.kind->work},
                   {"sequential_steps", row.steps},
                   {"longest_path", row.paths}});
  }
  fmt::print("{}\n", all.dump(2));
}

std::string picture(const std::vector<Row>& rows) {
  std::vector<insight::PlotLine> lines;
  for (const Row& row : rows) {
    insight::PlotLine& line = lines.emplace_back(insight::PlotLine{.name = row.kind->name});
    for (std::size_t i = 0; i < row.in_n.sizes.size(); ++i) {
      line.points.push_back({row.in_n.sizes[i], row.in_n.ms[i],
                             fmt::format("n {}: {:.3f} ms", row.in_n.sizes[i], row.in_n.ms[i])});
    }
  }
  std::vector<insight::PlotTick> ticks;
  for (const std::int64_t n : kLengths) {
    ticks.push_back({static_cast<double>(n), fmt::format("{}", n)});
  }
  return insight::line_svg(lines,
                           {.title = "Time of one layer, d 64",
                            .x = {.label = "positions n", .logarithmic = true, .ticks = ticks},
                            .y = {.label = "ms", .logarithmic = true}});
}

void print(const std::string& svg, bool json) {
  const std::vector<Row> rows = measure_all();
  if (!svg.empty()) OutputFiles().write(svg, picture(rows));
  json ? print_json(rows) : print_table(rows);
}

Benchmark layers() {
  const auto svg = std::make_shared<std::string>();
  return {.name = "layers",
          .summary = "attention, recurrent and convolutional layers against n and d",
          .print = [svg](bool json) { print(*svg, json); },
          .declare =
              [svg](CommandLine& line) {
                line.add("--layers-svg", *svg, "write the picture").kind("FILE");
              }};
}

const ListedBenchmark kListed(layers());

}  // namespace
}  // namespace heed::cli
