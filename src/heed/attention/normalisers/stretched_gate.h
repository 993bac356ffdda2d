// SPDX-License-Identifier: Apache-2.0
// A gate that is exactly 0 or 1 with some chance: a sigmoid of noisy scores, stretched beyond both
// and clipped (Louizos, Welling & Kingma 2018, Eqs. 10 to 12).
#pragma once

#include <algorithm>
#include <cmath>

namespace heed::attention {

struct StretchedGate {
  double temperature = 0.33;
  double low = -0.1;
  double high = 1.1;

  static double sigmoid(double x) {
    return x >= 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x));
  }

  struct Value {
    double z = 0;
    double slope = 0;  // along the score; 0 where it is clipped
  };
  // noise = log(u / (1 - u)), u uniform.
  Value at(double score, double noise) const {
    const double s = sigmoid((score + noise) / temperature);
    const double stretched = low + (high - low) * s;
    const bool inside = stretched > 0 && stretched < 1;
    return {std::clamp(stretched, 0.0, 1.0),
            inside ? (high - low) * s * (1 - s) / temperature : 0.0};
  }
  double chance_of_zero(double score) const {
    return sigmoid(temperature * std::log(-low / high) - score);
  }
  double chance_of_one(double score) const {
    return sigmoid(score - temperature * std::log((1 - low) / (high - 1)));
  }
};

}  // namespace heed::attention
