// SPDX-License-Identifier: Apache-2.0
// Dispatches each parameter to the kernel of its method.
#include "heed/training/optimiser.h"

#include <cmath>

#include "heed/base/error.h"
#include "heed/kernels/reductions.h"

namespace heed::training {
namespace {

void require(bool fits, const char* method, const char* option, double found, const char* allowed) {
  if (!fits) throw UsageError("{}: {} is {}; it takes {}", method, option, found, allowed);
}

bool fraction(double x) {
  return x >= 0 && x < 1;
}

void check(const Adam& adam) {
  require(fraction(adam.beta1), "adam", "beta1", adam.beta1, "0 to below 1");
  require(fraction(adam.beta2), "adam", "beta2", adam.beta2, "0 to below 1");
  require(adam.epsilon > 0, "adam", "epsilon", adam.epsilon, "more than 0");
  require(adam.weight_decay >= 0, "adam", "weight_decay", adam.weight_decay, "0 or more");
}

void check(const Sgd& sgd) {
  require(fraction(sgd.momentum), "sgd", "momentum", sgd.momentum, "0 to below 1");
  require(sgd.weight_decay >= 0, "sgd", "weight_decay", sgd.weight_decay, "0 or more");
  require(!sgd.nesterov || sgd.momentum > 0, "sgd", "momentum", sgd.momentum,
          "more than 0 with nesterov");
}

void check(const RmsProp& rmsprop) {
  require(fraction(rmsprop.decay), "rmsprop", "decay", rmsprop.decay, "0 to below 1");
  require(rmsprop.epsilon > 0, "rmsprop", "epsilon", rmsprop.epsilon, "more than 0");
  require(fraction(rmsprop.momentum), "rmsprop", "momentum", rmsprop.momentum, "0 to below 1");
  require(rmsprop.weight_decay >= 0, "rmsprop", "weight_decay", rmsprop.weight_decay, "0 or more");
}

void check(const Adagrad& adagrad) {
  require(adagrad.epsilon > 0, "adagrad", "epsilon", adagrad.epsilon, "more than 0");
  require(adagrad.weight_decay >= 0, "adagrad", "weight_decay", adagrad.weight_decay, "0 or more");
}

struct KeptState {
  bool mean;
  bool square;
  bool velocity;
};
KeptState kept(const Adam&) {
  return {true, true, false};
}
KeptState kept(const Sgd& sgd) {
  return {false, false, sgd.momentum > 0};
}
KeptState kept(const RmsProp& rmsprop) {
  return {rmsprop.centred, true, rmsprop.momentum > 0};
}
KeptState kept(const Adagrad&) {
  return {false, true, false};
}

}  // namespace

Optimiser::Optimiser(nn::Parameters parameters, const Method& method) : method_(method) {
  std::visit([](const auto& m) { check(m); }, method_);
  const KeptState keep = std::visit([](const auto& m) { return kept(m); }, method_);
  for (nn::Parameter& parameter : parameters) {
    const Tensor& value = parameter.variable.value().required("optimiser");
    if (!value.contiguous()) {
      throw UsageError(
          "optimiser: the parameter {} is a strided view of shape {}; it takes a contiguous "
          "tensor: "
          "packed()",
          parameter.name, value.shape().text());
    }
    const Shape shape = value.shape();
    Slot slot{std::move(parameter)};
    if (keep.mean) slot.mean = Tensor::zeros(shape);
    if (keep.square) slot.square = Tensor::zeros(shape);
    if (keep.velocity) slot.velocity = Tensor::zeros(shape);
    slots_.push_back(std::move(slot));
  }
}

double Optimiser::step(const StepOptions& options) {
  const auto whole = [](double x) { return std::isfinite(x) && x >= 0; };
  require(whole(options.learning_rate), "step", "learning_rate", options.learning_rate,
          "0 or more");
  require(whole(options.clip_norm), "step", "clip_norm", options.clip_norm, "0 or more");
  require(std::isfinite(options.gradient_scale) && options.gradient_scale > 0, "step",
          "gradient_scale", options.gradient_scale, "more than 0");
  double squares = 0;
  for (Slot& slot : slots_) {
    const Tensor& gradient = slot.parameter.variable.gradient();
    if (!gradient.defined()) continue;
    const Tensor straight = gradient.packed();
    squares += static_cast<double>(
        kernels::sum_squares(straight.data(), static_cast<std::size_t>(straight.size())));
  }
  const double norm = std::sqrt(squares) * options.gradient_scale;
  const bool usable = std::isfinite(norm);
  if (usable) ++steps_;
  double scale = options.gradient_scale;
  if (options.clip_norm > 0) scale *= kernels::clip_scale(norm, options.clip_norm);

  for (Slot& slot : slots_) {
    Variable& variable = slot.parameter.variable;
    if (usable && variable.gradient().defined()) {
      const Tensor gradient = variable.gradient().packed();
      const kernels::ParameterUpdate<Real> update{
          .parameters = variable.mutable_value().mutable_data(),
          .gradient = gradient.data(),
          .count = static_cast<std::size_t>(gradient.size()),
          .gradient_scale = scale,
          .learning_rate = options.learning_rate};
      if (const auto* adam = std::get_if<Adam>(&method_)) {
        kernels::adam<Real>(update, {slot.mean.mutable_data(), slot.square.mutable_data()},
                            {.step = steps_,
                             .beta1 = adam->beta1,
                             .beta2 = adam->beta2,
                             .epsilon = adam->epsilon,
                             .weight_decay = adam->weight_decay,
                             .decoupled = adam->decoupled});
      } else if (const auto* sgd = std::get_if<Sgd>(&method_)) {
        kernels::sgd<Real>(update, slot.velocity.mutable_data(),
                           {sgd->momentum, sgd->weight_decay, sgd->nesterov});
      } else if (const auto* rmsprop = std::get_if<RmsProp>(&method_)) {
        kernels::rmsprop<Real>(
            update,
            {slot.square.mutable_data(), slot.mean.mutable_data(), slot.velocity.mutable_data()},
            {rmsprop->decay, rmsprop->epsilon, rmsprop->momentum, rmsprop->weight_decay});
      } else if (const auto* adagrad = std::get_if<Adagrad>(&method_)) {
        kernels::adagrad<Real>(update, slot.square.mutable_data(),
                               {adagrad->epsilon, adagrad->weight_decay});
      }
    }
    variable.clear_gradient();
  }
  return norm;
}

namespace {

// Calls body(name, tensor) for every tensor of state there is.
template <typename Slots, typename Body>
void for_each_state(Slots& slots, Body&& body) {
  for (auto& slot : slots) {
    if (slot.mean.defined()) body(slot.parameter.name + "/mean", slot.mean);
    if (slot.square.defined()) body(slot.parameter.name + "/square", slot.square);
    if (slot.velocity.defined()) body(slot.parameter.name + "/velocity", slot.velocity);
  }
}

}  // namespace

std::map<std::string, Tensor> Optimiser::state() const {
  std::map<std::string, Tensor> all;
  for_each_state(slots_,
                 [&](const std::string& name, const Tensor& value) { all.emplace(name, value); });
  return all;
}

void Optimiser::restore(const std::map<std::string, Tensor>& state, std::int64_t steps) {
  std::size_t expected = 0;
  for_each_state(slots_, [&](const std::string& name, const Tensor& value) {
    const auto found = state.find(name);
    if (found == state.end()) throw DataError("optimiser state: {} is missing", name);
    if (found->second.shape() != value.shape()) {
      throw DataError("optimiser state: {} has shape {}; it takes {}", name,
                      found->second.shape().text(), value.shape().text());
    }
    ++expected;
  });
  if (state.size() != expected) {
    throw DataError("optimiser state: {} tensors; this method keeps {}", state.size(), expected);
  }
  for_each_state(slots_,
                 [&](const std::string& name, Tensor& value) { value.assign(state.at(name)); });
  steps_ = steps;
}

}  // namespace heed::training
