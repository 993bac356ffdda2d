// SPDX-License-Identifier: Apache-2.0
// Monotonic attention: each query goes on from where the last one stopped, key by key, and stops
// with a chance of its own at each. What differs from the normaliser `monotone`, which weighs whole
// ways through the table by the product of their scores: a stop hangs on the keys up to it alone,
// so that a scan can be followed while the keys still come in.
#include "heed/attention/whole/monotonic_alignment.h"

namespace heed::attention {
namespace {

struct Monotonic {
  std::int64_t size = 128;
  double offset = -1;
  double noise = 1;
  bool hard = false;
  StoppingEnergies energies;

  static Card card() {
    return {.name = "monotonic",
            .summary =
                "Each query goes on from the key where the last one stopped: the chances of stops, "
                "trained with noise; where it runs off the end, the weights add up to less than 1.",
            .formula =
                "α_ij = p_ij q_ij, q_ij = (1 − p_i(j−1)) q_i(j−1) + α_(i−1)j, p = σ(e), e = "
                "g vᵀ/|v| tanh(W₁k + W₂q + b) + r",
            .source = "Raffel et al. 2017",
            .examples = {"size=5, offset=0.0", "size=4, offset=0.1, hard=true"}};
  }
  void declare(Options& options) {
    options.add("size", size, "units of the hidden layer").range(1, 65536);
    options.add("offset", offset, "r at the start: lower goes farther before it stops");
    options.add("noise", noise, "deviation of the noise on energies in training").at_least(0);
    options.add("hard", hard, "without noise, stop for certain at the first p above 1/2");
  }
  void build(const MechanismShape& shape, Random& random) {
    energies = StoppingEnergies(shape, size, offset, random);
  }
  void visit(nn::ParameterVisitor& visitor) { energies.visit(visitor); }

  WholeWeighed weigh(const WholeCall& call) const {
    const Variable e =
        with_stopping_noise(energies(call.query, call.memory.keys), noise, call.noise);
    const Variable all = hard && call.noise == nullptr
                             ? hard_alignment(e, call.past, call.visible)
                             : monotonic_alignment(e, call.past, call.visible);
    return weighed_of(all);
  }
};

const ListedWhole<Monotonic> kListed;

}  // namespace
}  // namespace heed::attention
