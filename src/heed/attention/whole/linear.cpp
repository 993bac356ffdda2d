// SPDX-License-Identifier: Apache-2.0
// Linear attention: a feature map of query and key in place of the exponential, so that sums over
// keys serve all queries, and a decoder keeps one matrix instead of its past.
#include "heed/attention/whole/features.h"
#include "heed/autograd/ops.h"

namespace heed::attention {
namespace {

enum class Feature { elu, relu };

struct Linear {
  Feature feature = Feature::elu;

  static Card card() {
    return {.name = "linear",
            .summary =
                "Sums over keys serve all queries: time and memory grow with the length, and a "
                "decoder keeps one matrix instead of its past.",
            .formula = "φ(q)ᵀ Σ_j φ(k_j) v_jᵀ / φ(q)ᵀ Σ_j φ(k_j), φ(x) = elu(x) + 1 or relu(x)",
            .source = "Katharopoulos et al. 2020",
            .examples = {"feature=relu"}};
  }
  void declare(Options& options) {
    options.add("feature", feature, {"elu", "relu"}, "φ: elu(x) + 1, or relu(x)");
  }
  void build(const MechanismShape& shape, Random&) const { require_equal_widths("linear", shape); }

  Variable context(const WholeCall& call) const { return feature_context(maps(), call); }
  Variable weights(const WholeCall& call) const { return feature_weights(maps(), call); }
  Variable sums(const WholeMemory& memory, const std::vector<std::int64_t>& count) const {
    return feature_sums(maps(), memory, count);
  }

 private:
  FeatureMaps maps() const {
    if (feature == Feature::relu) {
      const auto map = [](const Variable& x) { return relu(x); };
      return {map, map};
    }
    // elu(x) + 1 = x + 1 above zero, e^x below.
    const auto map = [](const Variable& x) {
      return exp(minimum(x, Variable(Tensor::full({1}, 0)))) + relu(x);
    };
    return {map, map};
  }
};

const ListedWhole<Linear> kListed;

}  // namespace
}  // namespace heed::attention
