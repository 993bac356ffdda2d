// SPDX-License-Identifier: Apache-2.0
// Dispatches each parameter to the kernel of its method.
#include "heed/training/optimiser.h"

#include <algorithm>
#include <cmath>

#include "heed/base/error.h"
#include "heed/kernels/optimisers.h"
#include "heed/kernels/reductions.h"
#include "heed/tensor/arithmetic.h"

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

void check(const Adadelta& adadelta) {
  require(fraction(adadelta.decay), "adadelta", "decay", adadelta.decay, "0 to below 1");
  require(adadelta.epsilon > 0, "adadelta", "epsilon", adadelta.epsilon, "more than 0");
  require(adadelta.weight_decay >= 0, "adadelta", "weight_decay", adadelta.weight_decay,
          "0 or more");
}

bool finite_positive(double x) {
  return std::isfinite(x) && x > 0;
}

bool finite_or_zero(double x) {
  return std::isfinite(x) && x >= 0;
}

void check(const ParameterGroup& group) {
  if (!group.members) {
    throw UsageError("optimiser: a group of parameters that does not say which are its members");
  }
  require(finite_or_zero(group.rate), "optimiser", "the rate of a group", group.rate, "0 or more");
  require(finite_or_zero(group.weight_decay.value_or(0)), "optimiser",
          "the weight_decay of a group", group.weight_decay.value_or(0), "0 or more");
}

struct KeptState {
  bool mean = false;
  bool square = false;
  bool velocity = false;
  bool change = false;
};
KeptState kept(const Adam&) {
  return {.mean = true, .square = true};
}
KeptState kept(const Sgd& sgd) {
  return {.velocity = sgd.momentum > 0};
}
KeptState kept(const RmsProp& rmsprop) {
  return {.mean = rmsprop.centred, .square = true, .velocity = rmsprop.momentum > 0};
}
KeptState kept(const Adagrad&) {
  return {.square = true};
}
KeptState kept(const Adadelta&) {
  return {.square = true, .change = true};
}

double squared_norm(const Tensor& gradient) {
  if (!gradient.defined()) return 0;
  const Tensor straight = gradient.packed();
  return static_cast<double>(
      kernels::sum_squares(straight.data(), static_cast<std::size_t>(straight.size())));
}

}  // namespace

ParameterGroup undecayed_vectors() {
  return {.members = [](const nn::Parameter& parameter) { return parameter.variable.rank() < 2; },
          .weight_decay = 0};
}

double gradient_norm(const nn::Parameters& parameters) {
  double squares = 0;
  for (const nn::Parameter& parameter : parameters) {
    squares += squared_norm(parameter.variable.gradient());
  }
  return std::sqrt(squares);
}

double clip_gradient_norm(const nn::Parameters& parameters, double limit) {
  require(finite_positive(limit), "clip_gradient_norm", "limit", limit, "more than 0");
  const double norm = gradient_norm(parameters);
  if (!std::isfinite(norm) || norm <= limit) return norm;
  for (const nn::Parameter& parameter : parameters) {
    if (!parameter.variable.gradient().defined()) continue;
    // Elements of its own: two parameters may have been sent one gradient.
    Tensor& gradient = parameter.variable.node()->gradient;
    gradient = gradient * static_cast<Real>(kernels::clip_scale(norm, limit));
  }
  return norm;
}

Optimiser::Optimiser(nn::Parameters parameters, const Method& method,
                     const std::vector<ParameterGroup>& groups)
    : method_(method) {
  std::visit([](const auto& m) { check(m); }, method_);
  for (const ParameterGroup& group : groups) check(group);
  const KeptState keep = std::visit([](const auto& m) { return kept(m); }, method_);
  const double decay = std::visit([](const auto& m) { return m.weight_decay; }, method_);
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
    const auto group = std::ranges::find_if(
        groups, [&](const ParameterGroup& each) { return each.members(parameter); });
    Slot slot{.parameter = std::move(parameter), .weight_decay = decay};
    if (group != groups.end()) {
      slot.rate = group->rate;
      slot.weight_decay = group->weight_decay.value_or(decay);
    }
    if (keep.mean) slot.mean = Tensor::zeros(shape);
    if (keep.square) slot.square = Tensor::zeros(shape);
    if (keep.velocity) slot.velocity = Tensor::zeros(shape);
    if (keep.change) slot.change = Tensor::zeros(shape);
    slots_.push_back(std::move(slot));
  }
}

double Optimiser::step(const StepOptions& options) {
  require(finite_or_zero(options.learning_rate), "step", "learning_rate", options.learning_rate,
          "0 or more");
  require(finite_or_zero(options.clip_norm), "step", "clip_norm", options.clip_norm, "0 or more");
  require(finite_or_zero(options.clip_each), "step", "clip_each", options.clip_each, "0 or more");
  require(finite_positive(options.gradient_scale), "step", "gradient_scale", options.gradient_scale,
          "more than 0");
  double squares = 0;
  for (Slot& slot : slots_) {
    slot.squared_norm = squared_norm(slot.parameter.variable.gradient());
    squares += slot.squared_norm;
  }
  const double norm = std::sqrt(squares) * options.gradient_scale;
  const bool usable = std::isfinite(norm);
  if (usable) ++steps_;
  double scale = options.gradient_scale;
  if (options.clip_norm > 0) scale *= kernels::clip_scale(norm, options.clip_norm);

  for (Slot& slot : slots_) {
    Variable& variable = slot.parameter.variable;
    if (usable && variable.gradient().defined()) {
      // What the global norm has left of it.
      const double own = std::sqrt(slot.squared_norm) * scale;
      const double shrunk =
          options.clip_each > 0 ? scale * kernels::clip_scale(own, options.clip_each) : scale;
      update(slot, variable.gradient().packed(), shrunk, options.learning_rate * slot.rate);
    }
    variable.clear_gradient();
  }
  return norm;
}

void Optimiser::update(Slot& slot, const Tensor& gradient, double scale, double learning_rate) {
  const kernels::ParameterUpdate<Real> update{
      .parameters = slot.parameter.variable.mutable_value().mutable_data(),
      .gradient = gradient.data(),
      .count = static_cast<std::size_t>(gradient.size()),
      .gradient_scale = scale,
      .learning_rate = learning_rate};
  const double decay = slot.weight_decay;
  if (const auto* adam = std::get_if<Adam>(&method_)) {
    kernels::adam<Real>(update, {slot.mean.mutable_data(), slot.square.mutable_data()},
                        {.step = steps_,
                         .beta1 = adam->beta1,
                         .beta2 = adam->beta2,
                         .epsilon = adam->epsilon,
                         .weight_decay = decay,
                         .decoupled = adam->decoupled});
  } else if (const auto* sgd = std::get_if<Sgd>(&method_)) {
    kernels::sgd<Real>(update, slot.velocity.mutable_data(), {sgd->momentum, decay, sgd->nesterov});
  } else if (const auto* rmsprop = std::get_if<RmsProp>(&method_)) {
    kernels::rmsprop<Real>(
        update,
        {slot.square.mutable_data(), slot.mean.mutable_data(), slot.velocity.mutable_data()},
        {rmsprop->decay, rmsprop->epsilon, rmsprop->momentum, decay});
  } else if (const auto* adagrad = std::get_if<Adagrad>(&method_)) {
    kernels::adagrad<Real>(update, slot.square.mutable_data(), {adagrad->epsilon, decay});
  } else if (const auto* adadelta = std::get_if<Adadelta>(&method_)) {
    kernels::adadelta<Real>(update, {slot.square.mutable_data(), slot.change.mutable_data()},
                            {adadelta->decay, adadelta->epsilon, decay});
  }
}

namespace {

// Calls body(name, tensor) for every tensor of state there is.
template <typename Slots, typename Body>
void for_each_state(Slots& slots, Body&& body) {
  for (auto& slot : slots) {
    if (slot.mean.defined()) body(slot.parameter.name + "/mean", slot.mean);
    if (slot.square.defined()) body(slot.parameter.name + "/square", slot.square);
    if (slot.velocity.defined()) body(slot.parameter.name + "/velocity", slot.velocity);
    if (slot.change.defined()) body(slot.parameter.name + "/change", slot.change);
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
