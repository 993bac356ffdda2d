// SPDX-License-Identifier: Apache-2.0
// The catalogue of explainers, and how one is made of its written form.
#include "heed/explain/explainer.h"

#include <algorithm>

#include "heed/attention/written/spec.h"
#include "heed/base/error.h"
#include "heed/base/text.h"

namespace heed::explain {
namespace {

// A function-local static, so that explainers may list themselves in any order.
std::vector<ListedEntry>& listed() {
  static std::vector<ListedEntry> all;
  return all;
}

}  // namespace

std::string promise_text(Promise promise) {
  switch (promise) {
    case Promise::complete:
      return "its shares add up to what the whole text adds";
    case Promise::effects:
      return "what changes nothing has no share";
    case Promise::exact_linear:
      return "exact where the output is a sum over words";
    case Promise::unseen:
      return "what the model cannot see has no share";
    case Promise::unshifted:
      return "a constant shift of the input that the model undoes changes nothing";
    case Promise::random:
      return "drawn by a seed";
  }
  throw InternalError("promise_text: no such promise");
}

bool Explainer::suits(const Subject& subject) const {
  switch (card().need) {
    case Need::nothing:
      return true;
    case Need::attention:
      return subject.attends();
    case Need::attention_gradients:
      return subject.has_attention_gradients();
    case Need::gradients:
      return subject.has_vectors();
    case Need::looks:
      return subject.has_looks();
  }
  throw InternalError("explainer {}: no such need", card().name);
}

void list_explainer(ListedEntry entry) {
  std::vector<ListedEntry>& all = listed();
  const auto place = std::ranges::lower_bound(
      all, entry.card.name, {}, [](const ListedEntry& other) { return other.card.name; });
  all.insert(place, std::move(entry));
}

std::vector<ExplainerCard> explainers() {
  std::vector<ExplainerCard> cards;
  for (const ListedEntry& one : listed()) cards.push_back(one.card);
  return cards;
}

std::unique_ptr<Explainer> make_explainer(std::string_view written) {
  const attention::PartSpec spec = attention::parse_part(written);
  const auto entry =
      std::ranges::find(listed(), spec.name, [](const ListedEntry& one) { return one.card.name; });
  if (entry == listed().end()) {
    std::vector<std::string> names;
    for (const ListedEntry& one : listed()) names.push_back(one.card.name);
    throw UsageError("no explainer is called \"{}\"{}; there are {}", spec.name,
                     did_you_mean(spec.name, names), join(names, ", "));
  }
  std::unique_ptr<Explainer> made = entry->make();
  Options options;
  made->declare(options);
  attention::set_options(options, spec.name, spec.arguments, written);
  return made;
}

}  // namespace heed::explain
