// SPDX-License-Identifier: Apache-2.0
// Gates over the words of a text, h_s the generator's states:
//   scores_s = W h_s + b, z = the weights of one query that sees these scores
// so that any normaliser of rows is a gate, with its draws, its gradient and its picture.
#include "heed/models/rationale.h"

#include <algorithm>
#include <cmath>

#include "heed/attention/make_parts.h"
#include "heed/attention/normaliser.h"
#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/models/hard_kuma.h"
#include "heed/nn/initialisers.h"
#include "heed/tensor/arithmetic.h"

namespace heed::models {
namespace {

using attention::Promise;

constexpr const char* kKuma = "hard_kuma";

std::string written_gate(const std::string& gate) {
  return gate == "bernoulli" ? "sample(of=sigmoid)" : gate;
}

// Without the end, which is no word: only an empty text keeps it.
Ids word_counts(const Ids& lengths) {
  Ids words({lengths.size()});
  std::ranges::transform(lengths.span(), words.mutable_data(),
                         [](std::int32_t length) { return std::max(length - 1, 1); });
  return words;
}

// [B,S]: 1 for words.
Tensor word_mask(const Ids& words, std::int64_t width) {
  Tensor mask = Tensor::zeros({words.size(), width});
  for (std::int64_t b = 0; b < words.size(); ++b) {
    std::fill_n(mask.mutable_data() + b * width, words.at({b}), Real{1});
  }
  return mask;
}

Variable without_others(const Variable& x, const Ids& words) {
  return where(word_mask(words, x.size(1)), x, Variable(Tensor::scalar(0)));
}

// Half and more is kept whole.
Variable rounded(const Variable& x) {
  Tensor whole = x.value().clone();
  for (Real& one : std::span(whole.mutable_data(), static_cast<std::size_t>(whole.size()))) {
    one = one >= Real(.5) ? Real{1} : Real{0};
  }
  return Variable(whole);
}

// What the gate's attention would tell an observer, where there is none or it is not what counts.
void tell(attention::Observer* watch, const Selection& found) {
  if (watch == nullptr) return;
  const Tensor mask = word_mask(found.words, found.kept.size(1));
  const Tensor hidden = Tensor::scalar(attention::kMasked);
  const Tensor weights = where(mask, found.kept, Variable(hidden)).value();
  watch->attended({.site = kRationaleSite,
                   .weights = weights.reshape({weights.size(0), 1, 1, weights.size(1)})});
}

// How likely each word is kept, scores [B,S].
Variable open_chances(const attention::RowNormaliser& gate, const Variable& scores) {
  const Tensor s = scores.value().packed();
  Tensor chances(s.shape()), slopes(s.shape());
  for (std::int64_t i = 0; i < s.size(); ++i) {
    const attention::OpenChance one = gate.open_chance(static_cast<double>(s.data()[i])).value();
    chances.mutable_data()[i] = static_cast<Real>(one.value);
    slopes.mutable_data()[i] = static_cast<Real>(one.slope);
  }
  return record("open_chances", chances, {scores},
                [slopes](const Tensor& dy) -> Gradients { return {dy * slopes}; });
}

void check(const RationaleOptions& options) {
  if (options.hidden < 1) {
    throw UsageError("rationale: {} hidden units; it takes 1 or more", options.hidden);
  }
  if (!(options.first_rate > 0 && options.first_rate < 1)) {
    throw UsageError(
        "rationale: a first rate of {}; it takes a share between 0 and 1, none of them",
        options.first_rate);
  }
  if (options.predictor == TextEncoderKind::transformer) {
    throw UsageError("rationale: a predictor is a bag, cnn or rnn, which need no attention");
  }
}

void check_name(const std::string& name) {
  using Normalisers = attention::Catalogue<attention::Normaliser>;
  if (Normalisers::find(name) != nullptr) return;
  std::vector<std::string> names = {"bernoulli", kKuma};
  for (const auto& entry : Normalisers::entries()) names.push_back(entry.card.name);
  throw UsageError(
      "rationale: there is no gate \"{}\"{}; there are bernoulli, {} and the "
      "normalisers that `heed mechanisms` lists",
      name, did_you_mean(name, names), kKuma);
}

// UsageError for parts that leave nothing out.
void check(const attention::Normaliser& part, const std::string& gate) {
  if (part.keeps(Promise::may_be_negative)) {
    throw UsageError("rationale: {} may give negative weights; a word is kept or is not", gate);
  }
  if (part.keeps(Promise::sums_to_one) && !part.keeps(Promise::sparse)) {
    throw UsageError(
        "rationale: {} gives every word a share, so that all are read; choose a part with zeros, "
        "such as sparsemax, entmax or sparse_chain, or a gate, such as bernoulli",
        gate);
  }
}

}  // namespace

RationaleGenerator::RationaleGenerator(const RationaleOptions& options,
                                       const TextEncoderOptions& encoder, Random& random) {
  check(options);
  encoder_ = TextEncoder(encoder, random);
  const bool kuma = options.gate == kKuma;
  scores_ = nn::Linear(encoder_.width(), kuma ? 2 : 1, random);
  if (kuma) return;
  const std::string gate = written_gate(options.gate);
  const attention::PartSpec spec = attention::parse_part(gate);
  check_name(spec.name);
  const std::shared_ptr<attention::Normaliser> part = attention::normaliser_of(gate);
  check(*part, gate);
  gate_ = attention::make_attention("dot | padding | " + gate,
                                    {.query_width = 1, .key_width = 1, .value_width = 1}, random);
  if (gate_->weighs_all_queries()) {
    throw UsageError(
        "rationale: {} weighs the words of all queries at once, and there is one; "
        "choose a normaliser of rows",
        gate);
  }
  const auto rows = std::dynamic_pointer_cast<const attention::RowNormaliser>(part);
  if (rows->open_chance(0)) apart_ = rows;
  threshold_ = !part->keeps(Promise::sparse);
  if (apart_ != nullptr) {
    const double bias = std::log(options.first_rate / (1 - options.first_rate));
    scores_.bias = nn::parameter(Tensor::full({1}, static_cast<Real>(bias)));
  }
}

void RationaleGenerator::visit(nn::ParameterVisitor& visitor) {
  visitor("encoder", encoder_);
  visitor("scores", scores_);
  visitor("gate", gate_);
}

Selection RationaleGenerator::operator()(const Sequences& text, const Call& call) const {
  const Ids words = word_counts(text.lengths);
  const Variable scores = scores_(encoder_(text, call).states);  // [B,S,1 or 2]
  return gate_ ? by_part(scores, words, call) : by_kuma(scores, words, call);
}

Selection RationaleGenerator::by_kuma(const Variable& scores, const Ids& words,
                                      const Call& call) const {
  const auto shape = [&](std::int64_t which) { return softplus(select(scores, 2, which)); };
  const KumaShapes shapes{shape(0), shape(1)};  // [B,S]
  Variable kept;
  if (call.noise == nullptr) {
    kept = Variable(likeliest(shapes));
  } else {
    Tensor uniform(shapes.a.shape());
    for (Real& u : std::span(uniform.mutable_data(), static_cast<std::size_t>(uniform.size()))) {
      u = static_cast<Real>(call.noise->uniform());
    }
    kept = hard_kuma(shapes, uniform);
  }
  Selection found{.kept = without_others(kept, words),
                  .chances = without_others(1 - chance_of_zero(shapes), words),
                  .words = words};
  tell(call.watch, found);
  return found;
}

Selection RationaleGenerator::by_part(const Variable& scores, const Ids& words,
                                      const Call& call) const {
  const std::int64_t batch = scores.size(0), width = scores.size(1);
  const Variable keys = reshape(scores, {batch, 1, width, 1});
  // Its product with a score is the score.
  const Variable one(Tensor::full({batch, 1, 1, 1}, Real{1}));
  const attention::Memory memory = gate_->memory(keys, keys, {.lengths = words});
  const bool rounds = threshold_ && call.noise == nullptr;
  const attention::Attended found = gate_->attend(one, memory, {},
                                                  {.weights = true,
                                                   .noise = call.noise,
                                                   .fuse = false,
                                                   .watch = rounds ? nullptr : call.watch,
                                                   .site = kRationaleSite});
  Variable kept = reshape(found.weights, {batch, width});
  if (rounds) kept = rounded(kept);
  Selection selection{.kept = kept, .chances = kept, .words = words};
  if (rounds) tell(call.watch, selection);
  const Variable plain = reshape(scores, {batch, width});
  if (apart_ != nullptr) selection.chances = without_others(open_chances(*apart_, plain), words);
  return selection;
}

KeptWords kept_words(const Sequences& text, const Selection& selection) {
  const Tensor kept = selection.kept.value().packed();
  const Ids ids = text.ids.packed();
  const std::int64_t batch = ids.size(0), width = ids.size(1);
  std::vector<text::Tokens> rows(static_cast<std::size_t>(batch));
  std::vector<std::vector<std::int32_t>> places(rows.size());  // among all words [B*S]
  std::size_t most = 0;
  for (std::int64_t b = 0; b < batch; ++b) {
    const auto row = static_cast<std::size_t>(b);
    for (std::int64_t s = 0; s < text.lengths.at({b}) - 1; ++s) {
      const std::int64_t place = b * width + s;
      if (kept.data()[place] <= 0) continue;
      rows[row].push_back(ids.data()[place]);
      places[row].push_back(static_cast<std::int32_t>(place));
    }
    rows[row].push_back(text::kEnd);
    most = std::max(most, rows[row].size());
  }
  // The one after all words is 1: that of ends, and of padding, which nobody reads.
  const auto last = static_cast<std::int32_t>(batch * width);
  Ids from = Ids::full({batch, static_cast<std::int64_t>(most)}, last);
  for (std::size_t b = 0; b < places.size(); ++b) {
    std::ranges::copy(places[b], from.mutable_data() + b * most);
  }
  const Variable all = concat(
      {reshape(selection.kept, {batch * width, 1}), Variable(Tensor::full({1, 1}, Real{1}))}, 0);
  return {.text = sequences(text::pad_rows(rows)),
          .factors = reshape(embedding(all, from), {batch, static_cast<std::int64_t>(most)})};
}

}  // namespace heed::models
