// SPDX-License-Identifier: Apache-2.0
// How far back each sequence model can learn from, as a table and a picture.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/bench/gradient_reach.h"
#include "cli/bench/harness.h"
#include "cli/output_files.h"
#include "heed/base/error.h"
#include "heed/base/text.h"

namespace heed::cli {
namespace {

struct ReachFlags {
  std::int64_t steps = 100;
  std::int64_t width = 64;
  std::uint64_t seed = 1;
  std::string svg;
};

void print(const ReachFlags& flags, bool json) {
  const auto models =
      measure_reach({.steps = flags.steps, .width = flags.width, .seed = flags.seed});
  if (!flags.svg.empty()) OutputFiles().write(flags.svg, reach_svg(models));
  if (json) {
    auto all = nlohmann::json::array();
    for (const Reach& model : models) {
      all.push_back({{"name", model.name}, {"gradient", model.norms}});
    }
    fmt::print("{}\n", all.dump(2));
    return;
  }
  fmt::print("|d loss_t / d x_(t-k)| before training, a mean over 8 random sequences\n\n");
  std::vector<std::size_t> distances;
  for (const std::size_t k : {0, 1, 5, 10, 20, 50, 100, 200, 500}) {
    if (k < static_cast<std::size_t>(flags.steps)) distances.push_back(k);
  }
  std::string heading = pad_right("model", 22);
  for (const std::size_t k : distances) heading += pad_left(fmt::format("k = {}", k), 10);
  fmt::print("{}\n", heading);
  for (const Reach& model : models) {
    std::string line = pad_right(model.name, 22);
    for (const std::size_t k : distances) {
      line += pad_left(fmt::format("{:.1e}", model.norms[k]), 10);
    }
    fmt::print("{}\n", line);
  }
}

Benchmark reach() {
  const auto flags = std::make_shared<ReachFlags>();
  return {.name = "reach",
          .summary = "how far back RNN, LSTM, GRU, attention and Transformer can learn from",
          .print = [flags](bool json) { print(*flags, json); },
          .declare =
              [flags](CommandLine& line) {
                line.add("--steps", flags->steps, "length of the sequences")
                    .range(1, 100000)
                    .kind("N")
                    .shows_default();
                line.add("--width", flags->width, "features of inputs and states")
                    .range(1, 4096)
                    .kind("N")
                    .shows_default();
                line.add("--seed", flags->seed, "of weights and inputs").kind("N").shows_default();
                line.add("--reach-svg", flags->svg, "write the picture").kind("FILE");
              }};
}

const ListedBenchmark kListed(reach());

}  // namespace
}  // namespace heed::cli
