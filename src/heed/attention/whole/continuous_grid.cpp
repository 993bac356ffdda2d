// SPDX-License-Identifier: Apache-2.0
// Continuous attention over a grid of keys, such as the cells of an image: a query looks at an
// ellipse of the plane instead of cells, by a Gaussian or a paraboloid that is cut off.
#include "heed/attention/whole/density_source.h"

namespace heed::attention {
namespace {

struct ContinuousGrid {
  std::int64_t columns = 12;
  Density of = Density::softmax;
  DensitySource source;
  std::int64_t centres = 10;
  double width = 0.1;
  double ridge = 0.01;
  int angles = 64;
  std::shared_ptr<const ValueBasis> basis;

  static Card card() {
    return {.name = "continuous_grid",
            .summary =
                "A density over the plane that the keys are cells of, row by row: the values "
                "become a function of the place, and the context is its mean. Its weights are "
                "those of the values, and may be a little below 0.",
            .formula =
                "c = B E_p[ψ(t)], B as continuous has it, t the centres of cells in [0,1]²; p = "
                "N(t; μ, S) or ½(R² − (t − μ)ᵀΣ⁻¹(t − μ))₊, R² = 2/(√π |Σ|^¼), Σ = 9π√|S| S",
            .source = "Martins et al. 2020; Farinhas et al. 2021",
            .examples = {"columns=3, of=sparsemax, centres=4, width=0.3",
                         "columns=2, from=query, centres=3, width=0.5",
                         "columns=3, of=sparsemax, from=query, centres=3, width=0.4, angles=32"}};
  }
  void declare(Options& options) {
    options.add("columns", columns, "cells in a row").range(1, 4096);
    options.add("of", of, density_names(), "a Gaussian, or a paraboloid that is cut off");
    source.declare(options);
    options.add("centres", centres, "basis functions along each side").range(1, 64);
    options.add("width", width, "deviation of the basis functions").range(1e-3, 10);
    options.add("ridge", ridge, "λ of the regression").range(1e-6, 1e6);
    options.add("angles", angles, "of the integral over a paraboloid; an odd one is one more")
        .range(2, 4096);
  }
  void build(const MechanismShape& shape, Random& random) {
    basis = std::make_shared<ValueBasis>(BasisOptions{.of = of,
                                                      .columns = columns,
                                                      .centres = centres,
                                                      .widths = {width},
                                                      .ridge = ridge,
                                                      .angles = angles + angles % 2});
    source.build(shape, basis->moments(), random);
  }
  void visit(nn::ParameterVisitor& visitor) { source.visit(visitor); }

  WholeWeighed weigh(const WholeCall& call) const { return weigh_by_density(source, basis, call); }
};

const ListedWhole<ContinuousGrid> kListed;

}  // namespace
}  // namespace heed::attention
