// SPDX-License-Identifier: Apache-2.0
// Occlusion: leave-one-out of neighbours together, since one word often does for the other.
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
    options.add("width", width, "words that are taken away together").range(1, 1 << 20);
    options.add("removal", removal, removal_names(), "what becomes of words that are taken away");
  }
  Explanation explain(const Subject& subject) const {
    const std::size_t size = subject.size();
    const std::size_t together = std::min(static_cast<std::size_t>(width), size);
    if (together == size && removal == Removal::erase) {
      return {.undefined = "a span is the whole text: without it there is no text"};
    }
    const std::size_t spans = size - together + 1;
    std::vector<Kept> copies(spans + 1, Kept(size, true));
    for (std::size_t s = 0; s < spans; ++s) {
      for (std::size_t t = s; t < s + together; ++t) copies[s][t] = false;
    }
    const std::vector<double> outputs = subject.outputs(copies, removal);
    Explanation found{.shares = std::vector<double>(size, 0)};
    for (std::size_t t = 0; t < size; ++t) {
      const std::size_t first = t + 1 >= together ? t + 1 - together : 0;
      const std::size_t last = std::min(t, spans - 1);
      for (std::size_t s = first; s <= last; ++s) {
        found.shares[t] += (outputs.back() - outputs[s]) / static_cast<double>(together) /
                           static_cast<double>(last - first + 1);
      }
    }
    return found;
  }
};

const ListedExplainer<Occlusion> kListed;

}  // namespace
}  // namespace heed::explain
