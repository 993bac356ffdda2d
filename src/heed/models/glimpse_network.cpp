// SPDX-License-Identifier: Apache-2.0
// Steps of a network that looks in glimpses.
#include "heed/models/glimpse_network.h"

#include <algorithm>
#include <cmath>

#include "heed/base/error.h"

namespace heed::models {
namespace {

constexpr std::int64_t kGlance = 4;  // the glance sees the image at a quarter of its size

Tensor clamped(const Tensor& places) {
  Tensor held = places.clone();
  Real* const values = held.mutable_data();
  for (std::int64_t i = 0; i < held.size(); ++i)
    values[i] = std::clamp(values[i], Real(-1), Real(1));
  return held;
}

Tensor uniform_places(std::int64_t count, Random* random) {
  Tensor places = Tensor::zeros({count, 2});
  if (random == nullptr) return places;
  fill_uniform(std::span(places.mutable_data(), static_cast<std::size_t>(places.size())), *random,
               Real(-1), Real(1));
  return places;
}

Tensor around(const Tensor& means, double deviation, Random& random) {
  Tensor places(means.shape());
  fill_normal(std::span(places.mutable_data(), static_cast<std::size_t>(places.size())), random,
              Real(0), static_cast<Real>(deviation));
  return places + means;
}

std::int64_t strided(std::int64_t length) {
  return (length - 1) / 2 + 1;  // by a window of 3 with padding 1 and stride 2
}

nn::Linear with_shared_weight(const nn::Linear& layer) {
  nn::Linear made = layer;
  if (made.weight.defined()) made.weight = shared(made.weight);
  return made;
}

}  // namespace

const std::vector<std::string>& glimpse_core_names() {
  static const std::vector<std::string> names = {"feedforward", "lstm", "stacked"};
  return names;
}

const std::vector<std::string>& glimpse_policy_names() {
  static const std::vector<std::string> names = {"learnt", "random", "draw"};
  return names;
}

const std::vector<std::string>& glimpse_reward_names() {
  static const std::vector<std::string> names = {"right", "chance", "gain"};
  return names;
}

struct GlimpseNetwork::State {
  RecurrentState lower;
  RecurrentState upper;
};

// The weights of all steps of a call, whose gradients are gathered.
struct GlimpseNetwork::Weights {
  nn::Linear see, where, join_see, join_where, recur, enter;
  Variable lower_x{}, lower_h{}, upper_x{}, upper_h{};
};

GlimpseNetwork::GlimpseNetwork(const GlimpseNetworkOptions& options, Random& random)
    : options_(options) {
  const GlimpseOptions& sensor = options.sensor;
  const bool draws = options.policy == GlimpsePolicy::draw;
  if (options.classes < 2 || options.targets < 1 || options.glimpses < 1 || options.part < 1 ||
      options.hidden < 1 || options.place_hidden < 1 || options.channels < 1 ||
      !(options.deviation > 0)) {
    throw UsageError(
        "glimpse network: {} classes, {} targets, {} glimpses, widths {}, {} and {}, "
        "a deviation of {}; it takes 2 classes, 1 or more of the others and a "
        "deviation above 0",
        options.classes, options.targets, options.glimpses, options.part, options.hidden,
        options.place_hidden, options.deviation);
  }
  if (sensor.size > std::min(options.height, options.width)) {
    throw UsageError(
        "glimpse network: images of {} x {} are smaller than a glimpse of {} x {}; "
        "take a glimpse of {} at most, or larger images",
        options.width, options.height, sensor.size, sensor.size,
        std::min(options.height, options.width));
  }
  const std::int64_t scales = draws ? 1 : sensor.scales;
  see_ = {scales * sensor.size * sensor.size * options.channels, options.part, random};
  where_ = {2, options.part, random};
  join_see_ = {options.part, options.hidden, random};
  join_where_ = {options.part, options.hidden, random};
  if (options.core == GlimpseCore::feedforward) {
    recur_ = {options.hidden, options.hidden, random};
    enter_ = {options.hidden, options.hidden, random};
  } else {
    lower_ = {nn::Cell::lstm, options.hidden, options.hidden, random};
  }
  if (options.core == GlimpseCore::stacked) {
    upper_ = {nn::Cell::lstm, options.hidden, options.hidden, random};
    const std::int64_t height =
        strided(strided(std::max<std::int64_t>(1, options.height / kGlance)));
    const std::int64_t width = strided(strided(std::max<std::int64_t>(1, options.width / kGlance)));
    const Sliding sliding{.stride = 2, .padding = 1};
    glance_first_ = {options.channels, options.context_channels, 3, random, sliding};
    glance_second_ = {options.context_channels, 2 * options.context_channels, 3, random, sliding};
    glance_ = {2 * options.context_channels * height * width, options.hidden, random};
  }
  if (options.policy == GlimpsePolicy::learnt) {
    place_inner_ = {options.hidden, options.place_hidden, random};
    place_ = {options.place_hidden, 2, random};
    baseline_ = {options.hidden, 1, random};
  } else if (draws) {
    // At first the filters are spread over the whole image, whatever was seen.
    read_ = {options.hidden, 5, random};
    read_.weight = Variable::leaf(read_.weight.value() * Real(.01));
  }
  output_ = {options.hidden, options.outputs(), random};
}

void GlimpseNetwork::visit(nn::ParameterVisitor& visitor) {
  visitor("see", see_);
  visitor("where", where_);
  visitor("join_see", join_see_);
  visitor("join_where", join_where_);
  if (options_.core == GlimpseCore::feedforward) {
    visitor("recur", recur_);
    visitor("enter", enter_);
  } else {
    visitor("lower", lower_);
  }
  if (options_.core == GlimpseCore::stacked) {
    visitor("upper", upper_);
    visitor("glance_first", glance_first_);
    visitor("glance_second", glance_second_);
    visitor("glance", glance_);
  }
  if (options_.policy == GlimpsePolicy::learnt) {
    visitor("place_inner", place_inner_);
    visitor("place", place_);
    visitor("baseline", baseline_);
  } else if (options_.policy == GlimpsePolicy::draw) {
    visitor("read", read_);
  }
  visitor("output", output_);
}

GlimpseNetwork::State GlimpseNetwork::beginning(const Tensor& images) const {
  const std::int64_t count = images.size(0);
  State state;
  const auto zeros = [&] { return Variable(Tensor::zeros({count, options_.hidden})); };
  state.lower = {zeros(), zeros()};
  if (options_.core != GlimpseCore::stacked) return state;
  Variable x = permute(Variable(images), {0, 3, 1, 2});
  if (std::min(options_.height, options_.width) >= kGlance) {
    x = pool_2d(Pooling::average, x, kGlance, {.stride = kGlance});
  }
  x = relu(glance_second_(relu(glance_first_(x))));
  state.upper = {tanh(glance_(reshape(x, {count, -1}))), zeros()};
  return state;
}

Variable GlimpseNetwork::vector_of(const Variable& patch, const Variable& place,
                                   const Weights& weights) const {
  const Variable seen = weights.see(patch, Activation::relu);
  const Variable placed = weights.where(place, Activation::relu);
  if (options_.core == GlimpseCore::stacked) {
    return weights.join_see(seen, Activation::relu) * weights.join_where(placed, Activation::relu);
  }
  return relu(weights.join_see(seen) + weights.join_where(placed));
}

void GlimpseNetwork::step(const Variable& vector, State& state, const Weights& weights) const {
  if (options_.core == GlimpseCore::feedforward) {
    state.lower.h = relu(weights.recur(state.lower.h) + weights.enter(vector));
    return;
  }
  state.lower = recurrent_step(kernels::Cell::lstm,
                               {.from_input = linear(vector, weights.lower_x, lower_.bias),
                                .from_state = linear(state.lower.h, weights.lower_h, {}),
                                .candidate_bias = {}},
                               state.lower);
  if (options_.core != GlimpseCore::stacked) return;
  // What the lower layer is told by REINFORCE would be noise in the classifier.
  const Variable below =
      options_.policy == GlimpsePolicy::draw ? state.lower.h : stop_gradient(state.lower.h);
  state.upper = recurrent_step(kernels::Cell::lstm,
                               {.from_input = linear(below, weights.upper_x, upper_.bias),
                                .from_state = linear(state.upper.h, weights.upper_h, {}),
                                .candidate_bias = {}},
                               state.upper);
}

Variable GlimpseNetwork::place_state(const State& state) const {
  if (options_.core == GlimpseCore::stacked) return state.upper.h;
  return options_.policy == GlimpsePolicy::draw ? state.lower.h : stop_gradient(state.lower.h);
}

GlimpseRun GlimpseNetwork::operator()(const Tensor& images, const GlimpseCall& call) const {
  const GlimpseNetworkOptions& o = options_;
  if (images.rank() != 4 || images.size(1) != o.height || images.size(2) != o.width ||
      images.size(3) != o.channels) {
    throw UsageError("glimpse network: images {}; it takes [B,{},{},{}]", images.shape().text(),
                     o.height, o.width, o.channels);
  }
  const std::int64_t count = images.size(0);
  Weights weights{.see = with_shared_weight(see_),
                  .where = with_shared_weight(where_),
                  .join_see = with_shared_weight(join_see_),
                  .join_where = with_shared_weight(join_where_),
                  .recur = with_shared_weight(recur_),
                  .enter = with_shared_weight(enter_)};
  if (o.core != GlimpseCore::feedforward) {
    weights.lower_x = shared(lower_.w_x);
    weights.lower_h = shared(lower_.w_h);
  }
  if (o.core == GlimpseCore::stacked) {
    weights.upper_x = shared(upper_.w_x);
    weights.upper_h = shared(upper_.w_h);
  }
  GlimpseRun run;
  State state = beginning(images);
  for (std::int64_t t = 0; t < o.steps(); ++t) {
    Variable patch, place;
    if (o.policy == GlimpsePolicy::draw) {
      const Variable parameters = read_(place_state(state));
      patch = draw_read(Variable(images), parameters, o.sensor.size);
      place = slice(parameters, 1, 0, 2);
      run.places.push_back(clamped(place.value()));
      const Tensor spacing =
          exp(slice(stop_gradient(parameters), 1, 3, 4)).value().reshape({count});
      run.extents.push_back(spacing * (static_cast<Real>(std::max(o.height, o.width) - 1) *
                                       static_cast<Real>(o.sensor.size) /
                                       static_cast<Real>(o.sensor.size - 1)));
      if (call.keep) {
        run.patches.push_back(patch.value()
                                  .permute({0, 2, 3, 1})
                                  .packed()
                                  .reshape({count, 1, o.sensor.size, o.sensor.size, o.channels}));
      }
    } else {
      Tensor at;
      if (o.policy == GlimpsePolicy::random || call.anywhere || t < o.first_learnt()) {
        at = uniform_places(count, call.random);
      } else {
        const Variable h = place_state(state);
        run.means.push_back(tanh(place_(place_inner_(h, Activation::relu))));
        run.baselines.push_back(reshape(baseline_(stop_gradient(h)), {count}));
        if (call.so_far) {
          run.so_far.push_back(softmax(output_(stop_gradient(state.lower.h))).value());
        }
        const Tensor& means = run.means.back().value();
        at = call.place                            ? call.place(t, means)
             : call.draw && call.random != nullptr ? around(means, o.deviation, *call.random)
                                                   : means;
        run.drawn.push_back(at);
      }
      place = Variable(clamped(at));
      run.places.push_back(place.value());
      patch = glimpse(Variable(images), place, o.sensor);
      if (call.keep) run.patches.push_back(patch.value());
    }
    step(vector_of(reshape(patch, {count, -1}), place, weights), state, weights);
    const bool writes = (t + 1) % o.glimpses == 0;
    if (writes) run.logits.push_back(output_(state.lower.h));
    if (call.keep) {
      run.chances.push_back(
          softmax(writes ? run.logits.back() : output_(stop_gradient(state.lower.h))).value());
    }
  }
  return run;
}

Variable policy_loss(const GlimpseRun& run, const std::vector<Tensor>& rewards, double deviation) {
  Variable loss;
  const auto precision = static_cast<Real>(1 / (deviation * deviation));
  for (std::size_t t = 0; t < run.means.size(); ++t) {
    const Tensor advantage = rewards[t] - run.baselines[t].value();
    // -log N up to a constant; the draw is one, too.
    const Variable unlikely =
        sum(square(Variable(run.drawn[t]) - run.means[t]), 1) * (precision / 2);
    const Variable part = sum(Variable(advantage) * unlikely);
    loss = loss.defined() ? loss + part : part;
  }
  return loss;
}

Variable baseline_loss(const GlimpseRun& run, const std::vector<Tensor>& rewards) {
  Variable loss;
  for (std::size_t t = 0; t < run.baselines.size(); ++t) {
    const Variable part = sum(square(Variable(rewards[t]) - run.baselines[t]));
    loss = loss.defined() ? loss + part : part;
  }
  return loss * (Real(1) / static_cast<Real>(run.baselines.size()));
}

}  // namespace heed::models
