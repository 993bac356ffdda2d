// SPDX-License-Identifier: Apache-2.0
// MoChA: monotonic chunkwise attention, a softmax over the few keys that end where a monotonic scan
// stopped.
#include "heed/attention/whole/monotonic_alignment.h"

namespace heed::attention {
namespace {

struct Mocha {
  std::int64_t size = 128;
  std::int64_t chunk = 2;
  double offset = -1;
  double noise = 1;
  bool hard = false;
  StoppingEnergies stops;
  AdditiveWeights inside;

  static Card card() {
    return {.name = "mocha",
            .summary =
                "Monotonic attention that reads a chunk: a softmax over the last keys before "
                "and at the place where it stopped.",
            .formula =
                "β_ij = Σ_(k=j..j+w−1) α_ik exp(u_ij) / Σ_(l=k−w+1..k) exp(u_il), α as "
                "monotonic has it, u = vᵀ tanh(W₁k + W₂q)",
            .source = "Chiu & Raffel 2018",
            .examples = {"size=5, chunk=3, offset=0.0", "size=4, offset=0.1, hard=true"}};
  }
  void declare(Options& options) {
    options.add("size", size, "units of each hidden layer").range(1, 65536);
    options.add("chunk", chunk, "w: keys that are read at a stop").range(1, 65536);
    options.add("offset", offset, "r at the start: lower goes farther before it stops");
    options.add("noise", noise, "deviation of the noise on energies in training").at_least(0);
    options.add("hard", hard, "without noise, stop for certain at the first p above 1/2");
  }
  void build(const MechanismShape& shape, Random& random) {
    stops = StoppingEnergies(shape, size, offset, random);
    inside = AdditiveWeights({shape.query_width, shape.key_width, shape.heads, shape.key_heads},
                             size, random);
  }
  void visit(nn::ParameterVisitor& visitor) {
    visitor("stops", stops);
    visitor("inside", inside);
  }

  WholeWeighed weigh(const WholeCall& call) const {
    const Variable e = with_stopping_noise(stops(call.query, call.memory.keys), noise, call.noise);
    WholeWeighed found =
        weighed_of(hard && call.noise == nullptr ? hard_alignment(e, call.past, call.visible)
                                                 : monotonic_alignment(e, call.past, call.visible));
    const Variable u =
        additive_scores(project_heads(call.query, inside.W2),
                        project_heads(call.memory.keys, inside.W1), inside.v, Activation::tanh);
    found.weights = chunkwise(found.weights, u, chunk, call.visible);
    return found;
  }
};

const ListedWhole<Mocha> kListed;

}  // namespace
}  // namespace heed::attention
