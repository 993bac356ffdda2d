// SPDX-License-Identifier: Apache-2.0
// Words over the words of the same text, padding left out on both sides.
#include "heed/models/syntactic_attention.h"

#include <algorithm>

#include "heed/attention/make_parts.h"
#include "heed/attention/normalise.h"
#include "heed/autograd/ops.h"
#include "heed/base/error.h"

namespace heed::models {
namespace {

std::unique_ptr<attention::Normaliser> syntax_normaliser(const std::string& mechanism) {
  const attention::Spec spec = attention::parse_spec(mechanism);
  if (spec.groups.size() != 1) {
    throw UsageError(
        "syntactic attention: {} groups of heads in \"{}\"; a word has one head, so that it takes "
        "one mechanism",
        spec.groups.size(), mechanism);
  }
  return attention::make_part<attention::Normaliser>(spec.groups[0].mechanism.normaliser,
                                                     spec.text);
}

// The likeliest structure of the first `words` queries and keys of scores [S,S].
std::vector<std::int32_t> best_heads(const attention::MatrixNormaliser& normaliser,
                                     const Tensor& scores, std::int64_t words) {
  std::vector<double> cells;
  std::vector<std::int32_t> columns;
  std::vector<std::size_t> rows{0};
  for (std::int64_t s = 0; s < words; ++s) {
    for (std::int64_t j = 0; j < words; ++j) {
      cells.push_back(scores.at({s, j}));
      columns.push_back(static_cast<std::int32_t>(j));
    }
    rows.push_back(cells.size());
  }
  return normaliser.best(
      {.queries = words, .keys = words, .scores = cells, .columns = columns, .rows = rows});
}

}  // namespace

SyntacticAttention::SyntacticAttention(const std::string& mechanism, std::int64_t width,
                                       Random& random)
    : mechanism_(attention::make_attention(
          mechanism, {.query_width = width, .key_width = width, .value_width = width}, random)),
      normaliser_(syntax_normaliser(mechanism)),
      both_(2 * width, width, random) {}

EncodedText SyntacticAttention::operator()(EncodedText text, const attention::Site& site,
                                           const Call& call) const {
  const std::int64_t batch = text.states.size(0), width = text.states.size(1);
  const Variable words = reshape(text.states, {batch, 1, width, text.states.size(2)});
  const attention::Memory memory = mechanism_->memory(words, words, {.lengths = text.lengths});
  static const std::shared_ptr<const attention::Pattern> both =
      attention::pattern_of("padding(of=both)");
  const attention::Attended found = mechanism_->attend(
      words, memory, {}, {.noise = call.noise, .pattern = both, .watch = call.watch, .site = site});
  const Variable heads = reshape(found.context, text.states.shape());
  text.states = both_(concat({text.states, heads}, 2), Activation::relu);
  text.last = last_states(text.states, text.lengths);
  return text;
}

Variable SyntacticAttention::loss(const Variable& scores, const Ids& heads,
                                  const Ids& words) const {
  const std::int64_t batch = scores.size(0), width = scores.size(3);
  return attention::fenchel_young_loss(*normaliser_, reshape(scores, {batch, width, width}),
                                       attention::chosen_weights(heads, width), {words, words});
}

Ids SyntacticAttention::heads(const Tensor& scores, const Tensor& weights, const Ids& words) const {
  const auto* const trees = dynamic_cast<const attention::MatrixNormaliser*>(normaliser_.get());
  Ids all = Ids::full({scores.size(0), scores.size(3)}, -1);
  for (std::int64_t b = 0; b < all.size(0); ++b) {
    const std::int64_t count = words.at({b});
    std::vector<std::int32_t> mine;
    if (trees != nullptr) mine = best_heads(*trees, scores.select(0, b).select(0, 0), count);
    const bool by_rows = mine.empty();
    for (std::int64_t s = 0; by_rows && s < count; ++s) {
      const std::vector<Real> row = weights.select(0, b).select(0, 0).select(0, s).values();
      const auto heaviest = std::max_element(row.begin(), row.begin() + count);
      mine.push_back(static_cast<std::int32_t>(heaviest - row.begin()));
    }
    std::ranges::copy(mine, all.mutable_data() + b * all.size(1));
  }
  return all;
}

Ids SyntaxWatch::found(const Classifier& classifier, const Sequences& text) const {
  if (!scores.defined()) return {};
  Ids words({text.lengths.size()});
  std::ranges::transform(text.lengths.span(), words.mutable_data(),
                         [](std::int32_t length) { return length - 1; });
  return classifier.syntax()->heads(scores.value(), seen, words);
}

void check_trees(const std::string& mechanism) {
  const std::unique_ptr<attention::Normaliser> normaliser = syntax_normaliser(mechanism);
  const auto* const tables = dynamic_cast<const attention::MatrixNormaliser*>(normaliser.get());
  if (tables != nullptr && tables->takes() == attention::TableShape::square) return;
  throw UsageError(
      "syntactic attention: {} has no trees that could be learnt; take one that has, such as tree "
      "or sparse_tree",
      normaliser->written());
}

void SyntacticAttention::visit(nn::ParameterVisitor& visitor) {
  visitor("attention", *mechanism_);
  visitor("both", both_);
}

}  // namespace heed::models
