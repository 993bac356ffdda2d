// SPDX-License-Identifier: Apache-2.0
// Copies of a text in batches, their vectors, and gradients by them.
#include "heed/pipeline/explained_tokens.h"

#include <algorithm>

#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/models/word_observer.h"

namespace heed::pipeline {
namespace {

constexpr std::size_t kTokensTogether = 4096;

// Puts other vectors in the place of a text's, or only keeps them.
class ReadVectors final : public models::WordObserver {
 public:
  using Change = std::function<void(Tensor& vectors)>;
  ReadVectors(std::function<bool(const attention::Site&)> is_text, Change change)
      : is_text_(std::move(is_text)), change_(std::move(change)) {}

  Variable words(const attention::Site& site, const Variable& vectors) override {
    if (!is_text_(site)) return vectors;
    Tensor mine = vectors.value().clone();
    change_(mine);
    read_ = Variable::leaf(mine);
    return read_;
  }
  const Variable& read() const { return read_; }

 private:
  std::function<bool(const attention::Site&)> is_text_;
  Change change_;
  Variable read_;  // [rows,S,E]
};

// Calls for each number of each token of a word: the place among a copy's vectors, and the place in
// the model's.
template <typename Visit>
void each_number(std::span<const int> words, std::int64_t width,
                 const std::vector<std::pair<std::int64_t, std::int64_t>>& places,
                 std::size_t count, const Visit& visit) {
  std::vector<std::size_t> before(count, 0);  // tokens of the word
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] < 0) continue;
    const auto word = static_cast<std::size_t>(words[i]);
    visit(word, before[word] * static_cast<std::size_t>(width), places[i]);
    ++before[word];
  }
}

}  // namespace

ExplainedTokens::ExplainedTokens(Text text) : text_(std::move(text)) {}

std::size_t ExplainedTokens::at_once() const {
  return std::max<std::size_t>(1, kTokensTogether / (text_.tokens.size() + text_.beside));
}

bool ExplainedTokens::removes(explain::Removal removal) const {
  return removal != explain::Removal::zero || has_vectors();
}

ExplainedTokens::Copy ExplainedTokens::whole() const {
  Copy copy{.tokens = text_.tokens};
  for (std::size_t i = 0; i < text_.tokens.size(); ++i) {
    copy.from.push_back(static_cast<std::int32_t>(i));
  }
  return copy;
}

ExplainedTokens::Copy ExplainedTokens::copy_of(const explain::Kept& kept,
                                               explain::Removal removal) const {
  Copy copy;
  for (std::size_t i = 0; i < text_.tokens.size(); ++i) {
    const auto word = static_cast<std::size_t>(std::max(text_.words[i], 0));
    const bool stays =
        text_.words[i] < 0 || kept[word] || (!text_.stays.empty() && text_.stays[word]);
    if (!stays && removal == explain::Removal::erase) continue;
    copy.tokens.push_back(stays ? text_.tokens[i] : text_.nobody);
    copy.from.push_back(static_cast<std::int32_t>(i));
  }
  return copy;
}

ExplainedTokens::Slots ExplainedTokens::slots() const {
  Slots slots;
  for (std::size_t i = 0; i < text_.tokens.size(); ++i) {
    slots.places.emplace_back(0, static_cast<std::int64_t>(i));
  }
  return slots;
}

std::vector<double> ExplainedTokens::by_word(std::span<const Real> tokens) const {
  std::vector<double> words(size(), 0);
  for (std::size_t i = 0; i < text_.words.size(); ++i) {
    const int word = text_.words[i];
    if (word >= 0) words[static_cast<std::size_t>(word)] += static_cast<double>(tokens[i]);
  }
  return words;
}

std::vector<double> ExplainedTokens::outputs(std::span<const explain::Kept> copies,
                                             explain::Removal removal) const {
  if (!removes(removal)) {
    throw UsageError(
        "removal=zero: this model has no vectors of words that could be 0 (it keeps words or does "
        "not); take erase or mask");
  }
  std::vector<double> found;
  if (removal == explain::Removal::zero) {
    const explain::Vectors whole = vectors();
    for (std::size_t begin = 0; begin < copies.size(); begin += at_once()) {
      std::vector<explain::Vectors> some;
      for (const explain::Kept& kept :
           copies.subspan(begin, std::min(at_once(), copies.size() - begin))) {
        explain::Vectors& mine = some.emplace_back(whole);
        for (std::size_t t = 0; t < size(); ++t) {
          const bool stays = kept[t] || (!text_.stays.empty() && text_.stays[t]);
          if (!stays) std::ranges::fill(mine[t], 0);
        }
      }
      for (const double one : outputs_at(some)) found.push_back(one);
    }
    return found;
  }
  const NoGradient values_only;
  for (std::size_t begin = 0; begin < copies.size(); begin += at_once()) {
    std::vector<Copy> some;
    for (const explain::Kept& kept :
         copies.subspan(begin, std::min(at_once(), copies.size() - begin))) {
      some.push_back(copy_of(kept, removal));
    }
    for (const Real one : numbers(some, nullptr).value().packed().values()) {
      found.push_back(static_cast<double>(one));
    }
  }
  return found;
}

explain::Vectors ExplainedTokens::vectors() const {
  if (!has_vectors()) return Subject::vectors();
  const NoGradient values_only;
  ReadVectors read([this](const attention::Site& site) { return is_text(site); }, [](Tensor&) {});
  const std::vector<Copy> one = {whole()};
  numbers(one, &read);
  const Slots slots = this->slots();
  explain::Vectors found(size());
  for (std::size_t i = 0; i < text_.tokens.size(); ++i) {
    if (text_.words[i] < 0) continue;
    std::vector<double>& mine = found[static_cast<std::size_t>(text_.words[i])];
    const auto& [row, column] = slots.places[i];
    for (const Real number : read.read().value().select(0, row).select(0, column).values()) {
      mine.push_back(static_cast<double>(number));
    }
  }
  return found;
}

std::vector<double> ExplainedTokens::outputs_at(std::span<const explain::Vectors> copies) const {
  if (!has_vectors()) return Subject::outputs_at(copies);
  const NoGradient values_only;
  const Slots slots = this->slots();
  std::vector<double> found;
  for (std::size_t begin = 0; begin < copies.size(); begin += at_once()) {
    const auto some = copies.subspan(begin, std::min(at_once(), copies.size() - begin));
    ReadVectors read([this](const attention::Site& site) { return is_text(site); },
                     [&](Tensor& all) { put(some, slots, all); });
    for (const Real one :
         numbers(std::vector<Copy>(some.size(), whole()), &read).value().packed().values()) {
      found.push_back(static_cast<double>(one));
    }
  }
  return found;
}

std::vector<explain::Vectors> ExplainedTokens::gradients_at(
    std::span<const explain::Vectors> copies) const {
  if (!has_vectors()) return Subject::gradients_at(copies);
  const Slots slots = this->slots();
  std::vector<explain::Vectors> all;
  for (std::size_t begin = 0; begin < copies.size(); begin += at_once()) {
    const auto some = copies.subspan(begin, std::min(at_once(), copies.size() - begin));
    ReadVectors read([this](const attention::Site& site) { return is_text(site); },
                     [&](Tensor& vectors) { put(some, slots, vectors); });
    backward(sum(numbers(std::vector<Copy>(some.size(), whole()), &read)));
    const Tensor gradient = read.read().gradient().packed();
    const std::int64_t columns = gradient.size(1), width = gradient.size(2);
    for (std::size_t n = 0; n < some.size(); ++n) {
      explain::Vectors mine(size());
      each_number(text_.words, width, slots.places, size(),
                  [&](std::size_t word, std::size_t, const auto& place) {
                    const std::int64_t row =
                        static_cast<std::int64_t>(n) * slots.rows + place.first;
                    const Real* numbers = gradient.data() + (row * columns + place.second) * width;
                    mine[word].insert(mine[word].end(), numbers, numbers + width);
                  });
      all.push_back(std::move(mine));
    }
  }
  // Gradients that nobody asked for have reached the parameters, too.
  nn::clear_gradients(parameters());
  return all;
}

// vectors [N * rows,S,E]
void ExplainedTokens::put(std::span<const explain::Vectors> copies, const Slots& slots,
                          Tensor& vectors) const {
  const std::int64_t columns = vectors.size(1), width = vectors.size(2);
  for (std::size_t n = 0; n < copies.size(); ++n) {
    each_number(text_.words, width, slots.places, size(),
                [&](std::size_t word, std::size_t first, const auto& place) {
                  const std::int64_t row = static_cast<std::int64_t>(n) * slots.rows + place.first;
                  Real* out = vectors.mutable_data() + (row * columns + place.second) * width;
                  for (std::int64_t e = 0; e < width; ++e) {
                    out[e] =
                        static_cast<Real>(copies[n][word][first + static_cast<std::size_t>(e)]);
                  }
                });
  }
}

bool ExplainedTokens::has_looks() const {
  if (!looks_) {
    looks_.emplace();
    if (std::optional<LooksPlan> mine = plan()) {
      insight::WeightGradients watched;
      watch(watched);
      looks_ = looks_of(watched, parameters(), std::move(*mine));
    }
  }
  return !looks_->layers.empty() || !looks_->reads.empty();
}

explain::Looks ExplainedTokens::looks() const {
  return has_looks() ? *looks_ : Subject::looks();
}

void ExplainedTokens::watch(insight::WeightGradients& watched) const {
  const std::vector<Copy> one = {whole()};
  backward(sum(numbers(one, &watched)));
  nn::clear_gradients(parameters());
}

}  // namespace heed::pipeline
