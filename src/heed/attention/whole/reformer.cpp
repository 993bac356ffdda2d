// SPDX-License-Identifier: Apache-2.0
// Reformer: each query attends to the keys that random directions hash into its bucket, in several
// rounds; queries and keys are one projection, and keys have length 1.
#include <cmath>

#include "heed/attention/whole/hashed_attention.h"
#include "heed/attention/whole/seen.h"
#include "heed/autograd/ops.h"
#include "heed/base/error.h"

namespace heed::attention {
namespace {

struct Reformer {
  static constexpr bool kSharesQueriesAndKeys = true;

  HashOptions hash;
  std::uint64_t seed = 1;

  static Card card() {
    return {.name = "reformer",
            .summary =
                "Softmax over the keys of a query's own bucket, of those sorted near it: the keys "
                "that are likely to weigh, in time that grows with the length; queries and keys "
                "are one projection.",
            .formula =
                "softmax(q (k / |k|) / √d) over j with h(q_i) = h(k_j) in some round and in "
                "the chunk of i or the one before; h(x) = argmax [xR; −xR]",
            .source = "Kitaev, Kaiser & Levskaya 2020",
            .examples = {"rounds=2, buckets=4, chunk=2", "rounds=1, buckets=2, chunk=1, self=true",
                         "rounds=3, buckets=2"}};
  }
  void declare(Options& options) {
    options.add("rounds", hash.rounds, "of hashing, each with directions of its own").range(1, 64);
    options.add("buckets", hash.buckets, "of each round, an even number").range(2, 1 << 20);
    options
        .add("chunk", hash.chunk,
             "keys of a bucket that are seen together: a query sees its "
             "own chunk and the one before")
        .range(1, 1 << 20);
    options.add("self", hash.self,
                "see the key at the query's own place as any other, not only when it is alone");
    options.add("seed", seed, "of the random directions, which are not learnt");
  }
  void build(const MechanismShape& shape, Random&) {
    require_equal_widths("reformer", shape);
    if (hash.buckets % 2 != 0) {
      throw UsageError("reformer: buckets is {}; it takes an even number, two for each direction",
                       hash.buckets);
    }
    Random random(seed);
    directions_ = Tensor({hash.rounds, shape.key_width, hash.buckets / 2});
    for (std::int64_t i = 0; i < directions_.size(); ++i) {
      directions_.mutable_data()[i] = static_cast<Real>(random.normal());
    }
  }

  Variable context(const WholeCall& call) const {
    const SeenKeys seen = seen_keys(call);
    return hashed_context(hashed(call), call, unit(seen.keys), seen.values);
  }
  Variable weights(const WholeCall& call) const {
    return hashed_weights(hashed(call), call, unit(seen_keys(call).keys));
  }

 private:
  std::shared_ptr<const HashedKeys> hashed(const WholeCall& call) const {
    return std::make_shared<HashedKeys>(hash, directions_, call);
  }
  // A key of zeros stays one.
  static Variable unit(const Variable& keys) {
    const Variable squares = sum(square(keys), 3);
    return keys / reshape(sqrt(squares + Real(1e-12)), keys.shape().with(3, 1));
  }

  Tensor directions_;  // [rounds,D,buckets/2]
};

const ListedWhole<Reformer> kListed;

}  // namespace
}  // namespace heed::attention
