// SPDX-License-Identifier: Apache-2.0
// Words shown to whoever watches them.
#include "heed/models/word_observer.h"

#include <numeric>

#include "heed/autograd/ops.h"
#include "heed/base/error.h"

namespace heed::models {

bool watches_words(const Call& call) {
  return dynamic_cast<WordObserver*>(call.watch) != nullptr;
}

Variable watched_words(const Call& call, const attention::Site& site, const Variable& vectors) {
  auto* observer = dynamic_cast<WordObserver*>(call.watch);
  if (observer == nullptr) return vectors;
  Variable found = observer->words(site, vectors);
  if (found.shape() != vectors.shape()) {
    throw UsageError("observer: vectors {} of the words of \"{}\"; they are {}",
                     found.shape().text(), site.keys, vectors.shape().text());
  }
  return found;
}

WatchedTable watched_table(const Call& call, const attention::Site& site,
                           const nn::Embedding& table, const Ids& ids) {
  if (!watches_words(call)) return {table, ids};
  const Variable vectors = watched_words(call, site, table(ids));
  WatchedTable found{.ids = Ids(ids.shape())};
  found.table.weight = reshape(vectors, {-1, vectors.size(-1)});
  std::iota(found.ids.mutable_data(), found.ids.mutable_data() + found.ids.size(), 0);
  return found;
}

}  // namespace heed::models
