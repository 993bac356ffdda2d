// SPDX-License-Identifier: Apache-2.0
// GlimpseNetwork: reads an image in glimpses, each where the ones before it made it look (RAM, Mnih
// 2014; DRAM, Ba 2015).
//
//   g_t = ReLU(A ReLU(B patch) + C ReLU(D l))     (stacked: the product of both parts)
//   h_t = ReLU(U h_{t-1} + V g_t), or an LSTM
//   mean_{t+1} = tanh(E ReLU(F h_t)), l_{t+1} ~ N(mean_{t+1}, sigma^2 I), held in [-1,1]^2
//   class = softmax(W h_T)
//
// The means are learnt by REINFORCE only, all else by cross-entropy only: the location net and the
// baseline read h_t detached, and the draw is a constant to the next glimpse. In a stacked core the
// upper LSTM and the glance belong to the places and learn with them.
//
// Letters: B images, T glimpses.
#pragma once  // public header

#include <functional>
#include <vector>

#include "heed/autograd/ops.h"
#include "heed/models/glimpse_options.h"
#include "heed/nn/convolution.h"
#include "heed/nn/linear.h"
#include "heed/nn/recurrent.h"

#pragma GCC visibility push(default)  // exported

namespace heed::models {

struct GlimpseCall {
  // Of first places, of random ones and of draws; without it the first place is the middle.
  Random* random = nullptr;
  bool draw = false;      // whether places are drawn from the policy; otherwise they are its means
  bool anywhere = false;  // random places instead of the policy's
  bool keep = false;      // patches and the chances after each glimpse
  bool so_far = false;    // what it would answer before each place that is learnt
  // The place before it is held, given the step and the means [B,2]; for enumeration.
  std::function<Tensor(std::int64_t step, const Tensor& means)> place = nullptr;
};

struct GlimpseRun {
  Variables logits{};             // of each target, [B,outputs]
  std::vector<Tensor> places{};   // of each step, [B,2], in [-1,1]
  std::vector<Tensor> extents{};  // draw: pixels that the filters span, [B]
  // Of steps from first_learnt() on, where places are learnt by REINFORCE.
  Variables means{};             // [B,2]
  std::vector<Tensor> drawn{};   // [B,2], before they are held
  Variables baselines{};         // [B]
  std::vector<Tensor> so_far{};  // when asked for: chances of the outputs before it, [B,outputs]
  // When asked for, of each step.
  std::vector<Tensor> patches{};  // [B,scales,size,size,C]
  std::vector<Tensor> chances{};  // [B,outputs]
};

class GlimpseNetwork {
 public:
  GlimpseNetwork() = default;
  // UsageError for sizes that cannot be, such as an image smaller than the glimpse.
  GlimpseNetwork(const GlimpseNetworkOptions& options, Random& random);

  void visit(nn::ParameterVisitor& visitor);
  const GlimpseNetworkOptions& options() const { return options_; }

  // images [B,H,W,C]. UsageError for images of another size.
  GlimpseRun operator()(const Tensor& images, const GlimpseCall& call = {}) const;

 private:
  struct State;
  struct Weights;

  Variable vector_of(const Variable& patch, const Variable& place, const Weights& weights) const;
  void step(const Variable& vector, State& state, const Weights& weights) const;
  State beginning(const Tensor& images) const;
  // What places are read from.
  Variable place_state(const State& state) const;

  GlimpseNetworkOptions options_;
  nn::Linear see_, where_;            // B, D
  nn::Linear join_see_, join_where_;  // A, C
  nn::Linear recur_, enter_;          // U, V
  nn::RecurrentLayer lower_, upper_;
  nn::Linear place_inner_, place_;  // F, E
  nn::Linear baseline_;
  nn::Linear read_;    // draw
  nn::Linear output_;  // W
  nn::Convolution2d glance_first_, glance_second_;
  nn::Linear glance_;
};

// c sum over t of -(R - b_t) log N(l_t; mean_t, sigma^2), summed over the batch; R_t [B] is the
// reward that came after place t, and b_t is a constant here.
Variable policy_loss(const GlimpseRun& run, const std::vector<Tensor>& rewards, double deviation);
// The mean over t of (R_t - b_t)^2, summed over the batch.
Variable baseline_loss(const GlimpseRun& run, const std::vector<Tensor>& rewards);

}  // namespace heed::models

#pragma GCC visibility pop
