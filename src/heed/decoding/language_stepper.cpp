// SPDX-License-Identifier: Apache-2.0
// Reading, remembering and starting again.
#include "heed/decoding/language_stepper.h"

#include <algorithm>
#include <utility>

#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/kernels/softmax.h"

namespace heed::decoding {
namespace {

std::span<const Real> row_of(const Tensor& x, std::int64_t row) {
  return {x.data() + row * x.size(1), static_cast<std::size_t>(x.size(1))};
}

// The last `count` tokens of each text [N,count].
Ids last_tokens(const std::vector<text::Tokens>& texts, std::int64_t count) {
  Ids ids({static_cast<std::int64_t>(texts.size()), count});
  std::int32_t* out = ids.mutable_data();
  for (const text::Tokens& text : texts) out = std::copy(text.end() - count, text.end(), out);
  return ids;
}

}  // namespace

LanguageStepper::LanguageStepper(const models::LanguageModel& model, const text::Tokens& prompt,
                                 const LanguageStepperOptions& options)
    : model_(model),
      cache_(options.cache),
      texts_{prompt},
      caches_{ContinuousCache(options.cache)} {
  check(cache_);
  if (prompt.empty()) throw UsageError("generation: a prompt without a token; give one or more");
  const NoGradient values_only;
  const auto length = static_cast<std::int64_t>(prompt.size());
  state_ = options.memory < 0 ? model_.start(1) : model_.start_remembering(1, options.memory);
  prompt_read_ = model_.longest() > 0 ? std::min(length, model_.longest()) : length;
  read(last_tokens(texts_, prompt_read_), options.watch);
}

void LanguageStepper::read(const Ids& tokens, attention::Observer* watch) {
  const PackedWeights::Scope scope(weights_);
  const models::Reading reading = model_.read(state_, tokens, {.watch = watch});
  state_ = reading.state;
  hidden_ = reading.hidden.value().select(1, tokens.size(1) - 1).packed();
  if (cache_.size == 0 || tokens.size(1) == 1) return;
  const Tensor all = reading.hidden.value().packed();  // [N,T,D]
  for (std::int64_t row = 0; row < tokens.size(0); ++row) {
    const Tensor mine = all.select(0, row);
    for (std::int64_t t = 0; t + 1 < tokens.size(1); ++t) {
      caches_[static_cast<std::size_t>(row)].add(row_of(mine, t), tokens.at({row, t + 1}));
    }
  }
}

Tensor LanguageStepper::log_probabilities() const {
  Tensor found = model_.logits(hidden_).value().packed();
  if (!found.unique()) found = found.clone();
  kernels::log_softmax(found.data(), found.mutable_data(), static_cast<std::size_t>(found.size(0)),
                       static_cast<std::size_t>(found.size(1)));
  for (std::int64_t row = 0; row < found.size(0); ++row) {
    caches_[static_cast<std::size_t>(row)].mix(
        row_of(hidden_, row),
        {found.mutable_data() + row * found.size(1), static_cast<std::size_t>(found.size(1))});
  }
  return found;
}

Tensor LanguageStepper::step(const Ids& tokens, attention::Observer* watch) {
  const NoGradient values_only;
  if (begun_) {
    const std::int64_t longest = model_.longest();
    for (std::int64_t row = 0; row < rows(); ++row) {
      const auto place = static_cast<std::size_t>(row);
      caches_[place].add(row_of(hidden_, row), tokens.at({row}));
      text::Tokens& text = texts_[place];
      text.push_back(tokens.at({row}));
      // Twice as many as are ever read again.
      if (static_cast<std::int64_t>(text.size()) > 2 * std::max<std::int64_t>(longest, 1)) {
        text.erase(text.begin(), text.end() - std::max<std::int64_t>(longest, 1));
      }
    }
    if (longest > 0 && state_.step == longest) {
      state_ = model_.start(rows());
      const CacheOptions whole = std::exchange(cache_, {});  // it has these states already
      read(last_tokens(texts_, std::max<std::int64_t>(longest / 2, 1)), watch);
      cache_ = whole;
    } else {
      read(tokens.reshape({tokens.size(), 1}), watch);
    }
  }
  begun_ = true;
  const PackedWeights::Scope scope(weights_);
  return log_probabilities();
}

void LanguageStepper::reorder(const Ids& rows) {
  state_ = state_.reordered(rows);
  hidden_ = attention::rows_of(hidden_, rows).value();
  std::vector<text::Tokens> texts;
  std::vector<ContinuousCache> caches;
  for (const std::int32_t row : rows.span()) {
    texts.push_back(texts_[static_cast<std::size_t>(row)]);
    caches.push_back(caches_[static_cast<std::size_t>(row)]);
  }
  texts_ = std::move(texts);
  caches_ = std::move(caches);
}

}  // namespace heed::decoding
