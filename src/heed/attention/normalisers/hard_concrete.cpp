// SPDX-License-Identifier: Apache-2.0
// Hard concrete: a random gate for each key that is often exactly 0 or 1.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "heed/attention/normalisers/row_math.h"
#include "heed/attention/normalisers/stretched_gate.h"

namespace heed::attention {
namespace {

struct HardConcrete {
  double temperature = 0.33;

  static Card card() {
    return {.name = "hard_concrete",
            .summary =
                "Each key has a random gate of its own between 0 and 1, often exactly one of "
                "them.",
            .formula = "p = clip(-0.1 + 1.2 sigmoid((z + log u - log(1 - u))/T), 0, 1)",
            .source = "Louizos, Welling & Kingma 2018",
            .promises = {Promise::symmetric_jacobian, Promise::sparse, Promise::random,
                         Promise::has_temperature, Promise::in_unit_interval},
            .examples = {"temperature=0.1"}};
  }
  void declare(Options& options) {
    options.add("temperature", temperature, "divides the noisy scores").above(0);
  }

  std::optional<OpenChance> open_chance(double score) const {
    const double zero = StretchedGate{.temperature = temperature}.chance_of_zero(score);
    return OpenChance{1 - zero, zero * (1 - zero)};
  }

  template <typename T>
  void forward(const Row<T>& row, std::span<T> weights) const {
    const StretchedGate gate{.temperature = temperature};
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const double z = static_cast<double>(row.scores[i]);
      weights[i] = static_cast<T>(gate.at(z, logistic(row.random, row.keys[i])).z);
    }
  }
  template <typename T>
  void backward(const Row<T>& row, std::span<const T>, const RowUpstream<T>& upstream,
                const RowGradient<T>& gradient) const {
    const StretchedGate gate{.temperature = temperature};
    for (std::size_t i = 0; i < gradient.scores.size(); ++i) {
      const double z = static_cast<double>(row.scores[i]);
      const double slope = gate.at(z, logistic(row.random, row.keys[i])).slope;
      gradient.scores[i] = static_cast<T>(slope * upstream.weights[i]);
    }
  }

 private:
  // log(u / (1 - u)), u kept away from 0 and 1; 0, the middle, where the likeliest is wanted.
  static double logistic(const RowRandom& random, std::int32_t key) {
    if (random.likeliest) return 0;
    const double u =
        std::clamp(random.uniform(key), std::numeric_limits<double>::min(), 1 - 0x1p-53);
    return std::log(u) - std::log1p(-u);
  }
};

const ListedNormaliser<HardConcrete> kListed;

}  // namespace
}  // namespace heed::attention
