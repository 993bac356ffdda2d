// SPDX-License-Identifier: Apache-2.0
// Ways to learn hard attention side by side, as a table and a picture.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/bench/estimator_table.h"
#include "cli/bench/harness.h"
#include "cli/output_files.h"
#include "heed/base/text.h"

namespace heed::cli {
namespace {

struct EstimatorFlags {
  std::int64_t draws = 1000000;
  std::uint64_t seed = 1;
  std::string svg;
};

void print_estimators(const EstimatorFlags& flags, bool json) {
  const auto all = measure_estimators({.draws = flags.draws, .seed = flags.seed});
  if (!flags.svg.empty()) OutputFiles().write(flags.svg, estimators_svg(all));
  if (json) {
    auto rows = nlohmann::json::array();
    for (const Estimator& one : all) {
      rows.push_back({{"name", one.name},
                      {"mean", one.mean},
                      {"relative_bias", one.bias},
                      {"standard_error", one.error},
                      {"cosine", one.cosine},
                      {"variance", one.variance},
                      {"losses", one.losses}});
    }
    fmt::print("{}\n", rows.dump(2));
    return;
  }
  fmt::print(
      "Estimates of the gradient of E[|V'w - t|^2/2], w one of 6 keys drawn from softmax (a sum: "
      "from its own weights).\nbias: |mean - exact|/|exact|; variance: of one estimate; losses: "
      "computed for one estimate\n\n");
  std::size_t width = 0;
  for (const Estimator& one : all) width = std::max(width, display_width(one.name));
  const auto print_line = [&](const std::string& name, const auto&... columns) {
    fmt::print("{}  {:>8}  {:>6}  {:>7}  {:>8}  {:>6}\n", pad_right(name, width), columns...);
  };
  print_line("estimator", "bias", "+-", "cosine", "variance", "losses");
  for (const Estimator& one : all) {
    // What is exact differs from itself by rounding.
    print_line(one.name, fmt::format("{:.4f}", one.bias < 1e-6 ? 0 : one.bias),
               one.error > 0 ? fmt::format("{:.3f}", one.error) : "",
               fmt::format("{:.3f}", one.cosine), fmt::format("{:.4f}", one.variance), one.losses);
  }
}

Benchmark estimators() {
  const auto flags = std::make_shared<EstimatorFlags>();
  return {.name = "estimators",
          .summary = "bias and variance of the ways to learn hard attention",
          .print = [flags](bool json) { print_estimators(*flags, json); },
          .declare =
              [flags](CommandLine& line) {
                line.add("--draws", flags->draws, "of the estimators that are sampled")
                    .range(2, 100000000)
                    .kind("N")
                    .shows_default();
                line.add("--draws-seed", flags->seed, "of the draws").kind("N").shows_default();
                line.add("--svg", flags->svg, "write the picture").kind("FILE");
              }};
}

const ListedBenchmark kListed(estimators());

}  // namespace
}  // namespace heed::cli
