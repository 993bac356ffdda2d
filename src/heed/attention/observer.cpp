// SPDX-License-Identifier: Apache-2.0
// Handing looks from observer to observer, and holding them to their shapes.
#include "heed/attention/observer.h"

#include <algorithm>
#include <iterator>

#include "heed/base/error.h"

namespace heed::attention {
namespace {

void check_shape(const Site& site, const char* what, const Variable& found, const Variable& shown) {
  if (found.defined() && found.shape() == shown.shape()) return;
  throw UsageError("observer of \"{}\", layer {}: it returned {} {}; it takes {}", site.set,
                   site.layer, what, found.defined() ? found.shape().text() : "that are undefined",
                   shown.shape().text());
}

// Other values for the cells that are not masked.
Tensor with_values(const Tensor& masked, const Tensor& values) {
  const Tensor packed = values.packed();
  Tensor found = masked.clone();
  Real* out = found.mutable_data();
  for (std::int64_t i = 0; i < found.size(); ++i) {
    if (!is_masked(out[i])) out[i] = packed.data()[i];
  }
  return found;
}

}  // namespace

Observers::Observers(std::initializer_list<Observer*> all) {
  std::ranges::copy_if(all, std::back_inserter(all_),
                       [](const Observer* one) { return one != nullptr; });
}

Observer* Observers::get() {
  if (all_.empty()) return nullptr;
  return all_.size() == 1 ? all_.front() : this;
}

bool Observers::wants_weights(const Site& site) const {
  return std::ranges::any_of(all_, [&](const Observer* one) { return one->wants_weights(site); });
}

Variable Observers::weights(const ObservedWeights& observed) {
  Variable weights = observed.weights;
  Tensor masked = observed.masked;
  for (Observer* one : all_) {
    if (!one->wants_weights(observed.site)) continue;
    weights = watched_weights(*one, {.site = observed.site,
                                     .first_sequence = observed.first_sequence,
                                     .first_head = observed.first_head,
                                     .first_query = observed.first_query,
                                     .weights = weights,
                                     .scores = observed.scores,
                                     .values = observed.values,
                                     .masked = masked,
                                     .normaliser = observed.normaliser});
    masked = with_values(masked, weights.value());
  }
  return weights;
}

void Observers::attended(const ObservedAttention& observed) {
  for (Observer* one : all_) one->attended(observed);
}

bool Observers::wants_states() const {
  return std::ranges::any_of(all_, [](const Observer* one) { return one->wants_states(); });
}

Variable Observers::states(const Site& site, const Variable& states) {
  Variable found = states;
  for (Observer* one : all_) found = watched_states(one, site, found);
  return found;
}

Variable watched_states(Observer* watch, const Site& site, const Variable& states) {
  if (watch == nullptr || !watch->wants_states()) return states;
  Variable found = watch->states(site, states);
  check_shape(site, "states", found, states);
  return found;
}

Variable watched_weights(Observer& watch, const ObservedWeights& observed) {
  Variable found = watch.weights(observed);
  check_shape(observed.site, "weights", found, observed.weights);
  return found;
}

}  // namespace heed::attention
