// SPDX-License-Identifier: Apache-2.0
// The mean of a draw: the weights of the normaliser that is drawn from.
#include "heed/attention/expected_reads.h"

#include <variant>

#include "heed/attention/make_parts.h"
#include "heed/attention/normalise.h"
#include "heed/autograd/ops.h"
#include "heed/base/random.h"

namespace heed::attention {

bool ExpectedReads::chosen(std::int64_t sequence) const {
  Random random(seed_, static_cast<std::uint64_t>(sequence));
  return static_cast<double>(random.uniform()) < share_;
}

const Normaliser* ExpectedReads::mean_of(const Normaliser* normaliser) {
  const auto* rows = dynamic_cast<const RowNormaliser*>(normaliser);
  if (rows == nullptr || !rows->draws()) return nullptr;
  // Parts that draw say in the option `of` from what.
  const std::unique_ptr<Normaliser> copy = normaliser->clone();
  Options options;
  copy->declare(options);
  const Option* of = options.find("of");
  if (of == nullptr) return nullptr;
  const auto written = std::get<std::string>(of->value());
  std::unique_ptr<Normaliser>& mean = means_[written];
  if (!mean) mean = normaliser_of(written);
  return mean.get();
}

Variable ExpectedReads::weights(const ObservedWeights& observed) {
  const Normaliser* mean = mean_of(observed.normaliser);
  if (mean == nullptr) return observed.weights;
  const std::int64_t batch = observed.weights.size(0);
  Tensor draws({batch, 1, 1, 1}), expects({batch, 1, 1, 1});
  for (std::int64_t b = 0; b < batch; ++b) {
    expects.mutable_data()[b] = chosen(observed.first_sequence + b) ? Real{1} : Real{0};
    draws.mutable_data()[b] = 1 - expects.data()[b];
  }
  // A hidden key has no weight, whatever its score was.
  constexpr Real kHidden = -1e9;
  Tensor hidden = Tensor::zeros(observed.masked.shape());
  const Tensor masked = observed.masked.packed();
  for (std::int64_t i = 0; i < masked.size(); ++i) {
    if (is_masked(masked.data()[i])) hidden.mutable_data()[i] = kHidden;
  }
  return observed.weights * Variable(draws) +
         normalise(*mean, observed.scores + Variable(hidden)) * Variable(expects);
}

}  // namespace heed::attention
