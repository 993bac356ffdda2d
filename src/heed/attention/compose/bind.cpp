// SPDX-License-Identifier: Apache-2.0
// Copies of what a pattern looks at, in the form it asks for: backward asks it again, when the
// caller may have filled the next batch.
#include "heed/attention/compose/bind.h"

#include <vector>

#include "heed/attention/patterns/pattern_algebra.h"
#include "heed/autograd/kept_ids.h"
#include "heed/base/error.h"

namespace heed::attention {
namespace {

// The pattern bound to one call, together with the data it looks at: both live until backward.
struct BoundCall {
  Ids lengths, query_segments, key_segments;
  std::vector<std::uint8_t> mask;
  std::vector<double> centres;
  std::unique_ptr<BoundPattern> pattern;
};

}  // namespace

std::shared_ptr<const BoundPattern> bind(const Pattern& pattern, const KeyData& keys,
                                         const QueryData& given, PatternCall call,
                                         const Variable& centres) {
  auto bound = std::make_shared<BoundCall>();
  bound->lengths = kept_ids(keys.lengths);
  bound->query_segments = kept_ids(given.segments);
  bound->key_segments = kept_ids(keys.segments);
  if (keys.lengths.defined()) call.lengths = bound->lengths.span();
  if (given.segments.defined()) call.query_segments = bound->query_segments.span();
  if (keys.segments.defined()) call.key_segments = bound->key_segments.span();
  if (given.mask.defined()) {
    if (given.mask.rank() != 4) {
      throw UsageError("tensor: a mask of shape {}; it takes [B or 1, H or 1, Q, K]",
                       given.mask.shape().text());
    }
    for (const Real allowed : given.mask.values()) bound->mask.push_back(allowed != 0);
    call.mask = bound->mask;
    call.mask_batch = given.mask.size(0);
    call.mask_heads = given.mask.size(1);
  }
  if (centres.defined()) {
    for (const Real centre : centres.value().values()) bound->centres.push_back(centre);
    call.centres = bound->centres;
  }
  bound->pattern = pattern.bind(call);
  return {bound, bound->pattern.get()};
}

std::shared_ptr<const BoundPattern> bind_both(const Pattern& pattern, const Pattern* own,
                                              const KeyData& keys, const QueryData& given,
                                              const PatternCall& call, const Variable& centres) {
  if (own == nullptr) return bind(pattern, keys, given, call, centres);
  return bind(*both(pattern.clone(), own->clone()), keys, given, call, centres);
}

}  // namespace heed::attention
