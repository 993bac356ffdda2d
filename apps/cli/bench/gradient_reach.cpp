// SPDX-License-Identifier: Apache-2.0
// Each model reads vectors, and its last state is judged by a random classifier; the gradient of
// that loss with respect to the vectors is what is measured.
#include "cli/bench/gradient_reach.h"

#include <cmath>
#include <functional>
#include <memory>

#include "heed/attention/mechanism.h"
#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/base/random.h"
#include "heed/insight/draw/line_plot.h"
#include "heed/models/transformer_stack.h"
#include "heed/nn/initialisers.h"
#include "heed/nn/linear.h"
#include "heed/nn/recurrent.h"

namespace heed::cli {
namespace {

constexpr std::int64_t kClasses = 10;

// x [T,B,D] -> the state after the last step, [B,W].
using LastState = std::function<Variable(const Variable& x)>;

Variable last_of(const Variable& states) {
  return reshape(slice(states, 0, states.size(0) - 1, states.size(0)),
                 {states.size(1), states.size(2)});
}

LastState recurrent(nn::Cell cell, const ReachOptions& options, Random& random) {
  const nn::RecurrentNetwork network(
      {.cell = cell, .inputs = options.width, .hidden = options.width}, random);
  return [network](const Variable& x) { return last_of(network(x).outputs); };
}

// The last state attends to all states so far, and what it reads is beside it (Cheng 2016).
LastState with_attention(nn::Cell cell, const ReachOptions& options, Random& random) {
  const nn::RecurrentNetwork network(
      {.cell = cell, .inputs = options.width, .hidden = options.width}, random);
  const attention::MechanismShape shape{
      .query_width = options.width, .key_width = options.width, .value_width = options.width};
  const auto mechanism = std::make_shared<attention::Mechanism>("scaled_dot", shape, random);
  return [network, mechanism](const Variable& x) {
    const Variable states = network(x).outputs;
    const std::int64_t batch = states.size(1), width = states.size(2);
    const Variable keys = reshape(transpose(states, 0, 1), {batch, 1, states.size(0), width});
    const Variable query = reshape(last_of(states), {batch, 1, 1, width});
    const Variable context = mechanism->attend(query, mechanism->memory(keys, keys)).context;
    return concat({last_of(states), reshape(context, {batch, width})}, 1);
  };
}

LastState transformer(const ReachOptions& options, Random& random) {
  const auto stack = std::make_shared<models::TransformerStack>(
      models::TransformerStackOptions{.width = options.width,
                                      .heads = 1,
                                      .inner = 4 * options.width,
                                      .layers = 2,
                                      .causal = true,
                                      .dropout = 0},
      random);
  return [stack](const Variable& x) {
    return last_of(transpose((*stack)(transpose(x, 0, 1), {}, {}), 0, 1));
  };
}

Reach reach_of(std::string name, const LastState& model, const ReachOptions& options) {
  Random random(options.seed);
  Variable x = Variable::leaf(
      nn::normal({options.steps, options.batch, options.width}, random, Real(0), Real(1)));
  const Variable state = model(x);
  const nn::Linear classifier(state.size(1), kClasses, random);
  Ids classes({options.batch});
  for (std::int64_t b = 0; b < options.batch; ++b) {
    classes.mutable_data()[b] = static_cast<std::int32_t>(random.integer(kClasses));
  }
  backward(cross_entropy(classifier(state), classes, {.reduction = Reduction::sum}));

  Reach reach{.name = std::move(name)};
  const Tensor gradient = x.gradient().packed();
  const std::int64_t row = options.batch * options.width;
  for (std::int64_t k = 0; k < options.steps; ++k) {
    const Real* const at = gradient.data() + (options.steps - 1 - k) * row;
    double mean = 0;
    for (std::int64_t b = 0; b < options.batch; ++b) {
      double squares = 0;
      for (std::int64_t i = b * options.width; i < (b + 1) * options.width; ++i) {
        squares += static_cast<double>(at[i]) * static_cast<double>(at[i]);
      }
      mean += std::sqrt(squares) / static_cast<double>(options.batch);
    }
    reach.norms.push_back(mean);
  }
  return reach;
}

}  // namespace

std::vector<Reach> measure_reach(const ReachOptions& options) {
  if (options.steps < 1 || options.width < 1 || options.batch < 1) {
    throw UsageError("reach: {} steps, width {}, {} sequences; all take 1 or more", options.steps,
                     options.width, options.batch);
  }
  Random random(options.seed);
  std::vector<Reach> all;
  const std::pair<const char*, nn::Cell> cells[] = {
      {"RNN", nn::Cell::tanh}, {"LSTM", nn::Cell::lstm}, {"GRU", nn::Cell::gru}};
  for (const auto& [name, cell] : cells) {
    all.push_back(reach_of(name, recurrent(cell, options, random), options));
    all.push_back(reach_of(std::string(name) + " with attention",
                           with_attention(cell, options, random), options));
  }
  all.push_back(reach_of("Transformer", transformer(options, random), options));
  return all;
}

std::string reach_svg(std::span<const Reach> models) {
  std::vector<insight::PlotLine> lines;
  for (const Reach& model : models) {
    insight::PlotLine& line = lines.emplace_back(insight::PlotLine{.name = model.name});
    for (std::size_t k = 0; k < model.norms.size(); ++k) {
      line.points.push_back({static_cast<double>(k), model.norms[k]});
    }
  }
  return insight::line_svg(lines, {.title = "What a loss says to an input k steps before",
                                   .x = {.label = "k"},
                                   .y = {.label = "|gradient|", .logarithmic = true}});
}

}  // namespace heed::cli
