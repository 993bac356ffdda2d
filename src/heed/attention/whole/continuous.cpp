// SPDX-License-Identifier: Apache-2.0
// Continuous attention over a line of keys, such as the words of a text: a query looks at a stretch
// of [0,1] instead of keys, by a Gaussian or a parabola that is cut off.
#include "heed/attention/whole/density_source.h"

namespace heed::attention {
namespace {

struct Continuous {
  Density of = Density::softmax;
  DensitySource source;
  std::int64_t centres = 30;
  double narrow = 0.033;
  double wide = 0.1;
  double ridge = 0.01;
  std::shared_ptr<const ValueBasis> basis;

  static Card card() {
    return {.name = "continuous",
            .summary =
                "A density over the line of keys: the values become a function of the place, and "
                "the context is its mean. Its weights are those of the values, and may be a "
                "little below 0.",
            .formula =
                "c = B E_p[ψ(t)], B = Vᵀ Fᵀ(FFᵀ + λI)⁻¹, F_jl = ψ_j(t_l), t_l = (l − ½)/L; p = "
                "N(t; μ, σ²) or (a² − (t − μ)²)₊ · 3/(4a³), of the mean and variance of discrete "
                "weights",
            .source = "Martins et al. 2020",
            .examples = {"of=sparsemax, score=scaled_dot", "from=query, centres=8, narrow=0.1",
                         "of=sparsemax, from=query, wide=0.0"}};
  }
  void declare(Options& options) {
    options.add("of", of, density_names(), "a Gaussian, or a parabola that is cut off");
    source.declare(options);
    options.add("centres", centres, "basis functions along the line").range(1, 1024);
    options.add("narrow", narrow, "deviation of the basis functions").range(1e-3, 10);
    options.add("wide", wide, "deviation of a second set of them; 0: none").range(0, 10);
    options.add("ridge", ridge, "λ of the regression").range(1e-6, 1e6);
  }
  void build(const MechanismShape& shape, Random& random) {
    std::vector<double> widths{narrow};
    if (wide > 0) widths.push_back(wide);
    basis = std::make_shared<ValueBasis>(
        BasisOptions{.of = of, .centres = centres, .widths = widths, .ridge = ridge});
    source.build(shape, basis->moments(), random);
  }
  void visit(nn::ParameterVisitor& visitor) { source.visit(visitor); }

  WholeWeighed weigh(const WholeCall& call) const { return weigh_by_density(source, basis, call); }
};

const ListedWhole<Continuous> kListed;

}  // namespace
}  // namespace heed::attention
