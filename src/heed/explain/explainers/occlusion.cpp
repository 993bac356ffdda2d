// SPDX-License-Identifier: Apache-2.0
// Occlusion: leave-one-out of neighbours together, since one word often does for the other.
#include <fmt/format.h>

#include <algorithm>

#include "heed/explain/explainer.h"

namespace heed::explain {
namespace {

struct Occlusion {
  std::int64_t width = 3;
  Removal removal = Removal::erase;

  static ExplainerCard card() {
    return {.name = "occlusion",
            .summary = "how much less the output is without a word and its neighbours",
            .formula = "mean over spans s with t of (y(x) - y(x without s)) / |s|",
            .source = "Zeiler & Fergus 2014"};
  }
  void declare(Options& options) {
    options
        .add("width", width,
             "words that are taken away together; of cells of an image the side of a square")
        .range(1, 1 << 20);
    options.add("removal", removal, removal_names(), "what becomes of words that are taken away");
  }
  Explanation explain(const Subject& subject) const {
    const std::size_t size = subject.size();
    const bool in_line = subject.columns() == 0;
    const std::size_t columns = in_line ? size : subject.columns(), rows = size / columns;
    // A span, or of cells a square.
    const auto side = static_cast<std::size_t>(width);
    const std::size_t across = std::min(side, columns), down = std::min(side, rows);
    if (across * down == size && removal == Removal::erase) {
      return {.undefined = fmt::format("a span is the whole {0}: without it there is no {0}",
                                       in_line ? "text" : "image")};
    }
    std::vector<std::vector<std::size_t>> spans;
    for (std::size_t top = 0; top + down <= rows; ++top) {
      for (std::size_t left = 0; left + across <= columns; ++left) {
        std::vector<std::size_t>& span = spans.emplace_back();
        for (std::size_t y = top; y < top + down; ++y) {
          for (std::size_t x = left; x < left + across; ++x) span.push_back(y * columns + x);
        }
      }
    }
    std::vector<Kept> copies(spans.size() + 1, Kept(size, true));
    std::vector<double> spans_with(size, 0);
    for (std::size_t s = 0; s < spans.size(); ++s) {
      for (const std::size_t t : spans[s]) {
        copies[s][t] = false;
        ++spans_with[t];
      }
    }
    const std::vector<double> outputs = subject.outputs(copies, removal);
    Explanation found{.shares = std::vector<double>(size, 0)};
    for (std::size_t s = 0; s < spans.size(); ++s) {
      const double lost = (outputs.back() - outputs[s]) / static_cast<double>(across * down);
      for (const std::size_t t : spans[s]) found.shares[t] += lost / spans_with[t];
    }
    return found;
  }
};

const ListedExplainer<Occlusion> kListed;

}  // namespace
}  // namespace heed::explain
