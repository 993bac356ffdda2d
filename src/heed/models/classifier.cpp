// SPDX-License-Identifier: Apache-2.0
// The equations by which one text or two are read into the classes of each aspect.
//
// With h_s the states of a text, q the query of an aspect and a(q) = sum over s of weight_s(q) h_s:
//
//   alone      r = a(q), q learned or the state of a token in front
//   query      q_1 = the second text's summary, o_k = a(q_k), q_{k+1} = q_k + W o_k   (Sukhbaatar
//              2015, Eq. 4, with a map between hops)   r = [o_K; q_K]
//   words      c_j = a(g_j) for each state g_j of the second text, v_j = relu(W [g_j; c_j; g_j c_j;
//              g_j - c_j]) (Parikh 2016, Eq. 3, with the features of Chen 2017, Eq. 14), r = a'(q)
//              over the v_j
//   syntax     h_s becomes relu(W [h_s; c_s]), c_s what word s hangs on (syntactic_attention.h)
//   joined     both texts as one text
//   documents  h_i = network(a(q_w) of sentence i), r = a(q) over the h_i (Yang 2016, Eq. 5 to 10)
//   rationale  z = gates of the words, r = relu(W s + b), s = sum of z_s h_s / max(sum of z_s, 1)
//   for
//              a bag of words, else a summary of the states of the words with z_s > 0 alone
//
//   logits = W_o r + b_o, or with a head W_o f(W_h r + b_h) + b_o
#include "heed/models/classifier.h"

#include <algorithm>

#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/models/classifier_sites.h"
#include "heed/models/syntactic_attention.h"

namespace heed::models {
namespace {

void check(const ClassifierOptions& options) {
  if (options.classes.empty()) throw UsageError("classifier: no aspect; give one or more");
  for (const std::int64_t count : options.classes) {
    if (count < 2) throw UsageError("classifier: {} classes; an aspect takes 2 or more", count);
  }
  if (options.documents && options.second) {
    throw UsageError(
        "classifier: documents of sentences have no second text; leave out one of the two");
  }
  if (options.query == PoolingQuery::token && (options.documents || options.second)) {
    throw UsageError(
        "classifier: a token asks about a single text; with a second text or sentences the query "
        "is learned: leave the token out");
  }
  if (options.keys == PoolingKeys::words && options.second) {
    throw UsageError(
        "classifier: words as keys know nothing of a second text; with one, take states as keys");
  }
  if (options.query == PoolingQuery::token && options.attention == "none") {
    throw UsageError("classifier: a token as the query takes attention; name a mechanism");
  }
  if (options.hops < 1 || (options.hops > 1 && (!options.second || options.attention == "none" ||
                                                options.matching != Matching::query))) {
    throw UsageError(
        "classifier: {} hops; it takes 1, or more where a second text is the query of attention",
        options.hops);
  }
  if (options.second && options.matching == Matching::joined &&
      (options.joints < 1 || !options.syntax.empty())) {
    throw UsageError(
        "classifier: texts joined by {} ends{}; it takes 1 or more, and no syntactic attention",
        options.joints, options.syntax.empty() ? "" : " with syntactic attention");
  }
  if (options.second && options.attention == "none" && options.matching == Matching::words) {
    throw UsageError("classifier: words are matched by attention; name a mechanism");
  }
  if (!options.syntax.empty() && (options.documents || options.query == PoolingQuery::token ||
                                  !options.rationale.gate.empty())) {
    throw UsageError(
        "classifier: syntactic attention is of whole texts, without sentences, a token in front or "
        "a rationale; leave them out");
  }
  if (options.rationale.gate.empty()) return;
  if (options.second || options.documents || options.query == PoolingQuery::token) {
    throw UsageError(
        "classifier: a rationale is of one text, without sentences or a token in front; leave them "
        "out");
  }
  if (options.attention != "none") {
    throw UsageError(
        "classifier: what a rationale keeps is read without attention; name none as the mechanism");
  }
}

// Without the text's end, which says nothing: only an empty text keeps it.
EncodedText without_end(EncodedText text) {
  Ids words({text.lengths.size()});
  std::ranges::transform(text.lengths.span(), words.mutable_data(),
                         [](std::int32_t length) { return std::max(length - 1, 1); });
  text.lengths = words;
  return text;
}

// [B,S+1]: text::kBegin in front.
Sequences with_token(const Sequences& text) {
  const std::int64_t batch = text.ids.size(0), width = text.ids.size(1);
  const Ids ids = text.ids.packed();
  Sequences longer{Ids({batch, width + 1}), Ids({batch})};
  for (std::int64_t b = 0; b < batch; ++b) {
    std::int32_t* row = longer.ids.mutable_data() + b * (width + 1);
    row[0] = text::kBegin;
    std::copy_n(ids.data() + b * width, width, row + 1);
    longer.lengths.mutable_data()[b] = text.lengths.at({b}) + 1;
  }
  return longer;
}

}  // namespace

const std::vector<std::string>& pooling_query_names() {
  static const std::vector<std::string> names = {"learned", "token"};
  return names;
}

const std::vector<std::string>& pooling_keys_names() {
  static const std::vector<std::string> names = {"states", "words"};
  return names;
}

const std::vector<std::string>& matching_names() {
  static const std::vector<std::string> names = {"query", "words", "joined"};
  return names;
}

Sequences joined(const Sequences& first, const Sequences& second, int joints,
                 std::int64_t segments) {
  const std::int64_t batch = first.ids.size(0);
  std::int64_t longest = 0;
  for (std::int64_t b = 0; b < batch; ++b) {
    longest = std::max<std::int64_t>(longest,
                                     first.lengths.at({b}) + second.lengths.at({b}) + joints - 1);
  }
  Sequences both{Ids::full({batch, longest}, text::kPadding), Ids({batch}),
                 Ids::zeros({batch, longest})};
  for (std::int64_t b = 0; b < batch; ++b) {
    std::int32_t* to = both.ids.mutable_data() + b * longest;
    std::int32_t* segment = both.segments.mutable_data() + b * longest;
    std::int64_t at = 0;
    for (std::int64_t i = 0; i < first.lengths.at({b}); ++i) to[at++] = first.ids.at({b, i});
    for (int i = 1; i < joints; ++i) to[at++] = text::kEnd;
    for (std::int64_t i = 0; i < second.lengths.at({b}); ++i) {
      if (segments > 1) segment[at] = 1;
      to[at++] = second.ids.at({b, i});
    }
    both.lengths.mutable_data()[b] = static_cast<std::int32_t>(at);
  }
  return both;
}

SentenceRows sentence_rows(const Sequences& documents) {
  std::vector<text::Tokens> sentences;
  std::vector<std::vector<std::int32_t>> rows;
  std::size_t most = 1;
  for (std::int64_t b = 0; b < documents.lengths.size(); ++b) {
    std::vector<std::int32_t>& mine = rows.emplace_back();
    bool open = false;
    for (std::int32_t i = 0; i < documents.lengths.at({b}); ++i) {
      if (!open) {
        mine.push_back(static_cast<std::int32_t>(sentences.size()));
        sentences.emplace_back();
      }
      sentences.back().push_back(documents.ids.at({b, i}));
      open = sentences.back().back() != text::kEnd;
    }
    most = std::max(most, mine.size());
  }
  SentenceRows cut{sequences(text::pad_rows(sentences)),
                   Ids::zeros({documents.lengths.size(), static_cast<std::int64_t>(most)}),
                   Ids({documents.lengths.size()})};
  for (std::size_t b = 0; b < rows.size(); ++b) {
    std::ranges::copy(rows[b], cut.rows.mutable_data() + b * most);
    cut.counts.mutable_data()[b] = static_cast<std::int32_t>(rows[b].size());
  }
  return cut;
}

void Classifier::Aspect::visit(nn::ParameterVisitor& visitor) {
  visitor("learned", learned);
  visitor("asked", asked);
  visitor("output", output);
}

Classifier::Classifier(const ClassifierOptions& options, Random& random)
    : options_(options), dropout_{options.dropout} {
  check(options_);
  TextEncoderOptions reads = options_.encoder;
  if (!options_.rationale.gate.empty()) {
    generator_ = std::make_unique<RationaleGenerator>(options_.rationale, reads, random);
    reads.kind = options_.rationale.predictor;
  }
  encoder_ = TextEncoder(reads, random);
  const std::int64_t width = encoder_.width();
  if (selects()) hidden_ = nn::Linear(width, options_.rationale.hidden, random);
  if (!options_.syntax.empty()) {
    syntax_ = std::make_shared<SyntacticAttention>(options_.syntax, width, random);
  }
  const AttentionPoolingOptions pooling = pooling_options(PoolingKeys::states);
  const AttentionPoolingOptions of_words = pooling_options(options_.keys);
  const bool by_words = options_.second && options_.matching == Matching::words;
  const bool by_query = asks_by_second();
  if (pools_by_attention() && by_query)
    question_ = std::make_unique<LearnedPooling>(pooling, random);
  if (options_.hops > 1) hop_ = nn::Linear(width, width, random);
  if (by_words) {
    cross_ = std::make_unique<AttentionPooling>(pooling, random);
    compare_ = nn::Linear(4 * width, width, random);
  }
  if (options_.documents) {
    if (width % 2 != 0) {
      throw UsageError("classifier: states of {} features; documents take an even number", width);
    }
    if (pools_by_attention()) sentence_ = std::make_unique<LearnedPooling>(of_words, random);
    sentences_ = nn::RecurrentNetwork({.cell = options_.encoder.cell,
                                       .inputs = width,
                                       .hidden = width / 2,
                                       .bidirectional = true},
                                      random);
  }
  for (const std::int64_t classes : options_.classes) {
    Aspect& aspect = aspects_.emplace_back();
    const bool is_asked = by_query || options_.query == PoolingQuery::token;
    if (pools_by_attention() && is_asked) {
      aspect.asked = std::make_unique<AttentionPooling>(of_words, random);
    } else if (pools_by_attention()) {
      aspect.learned =
          std::make_unique<LearnedPooling>(options_.documents ? pooling : of_words, random);
    }
    const std::int64_t read = selects()              ? options_.rationale.hidden
                              : !by_query            ? width
                              : pools_by_attention() ? 2 * width
                                                     : 4 * width;
    if (options_.head != Activation::none && !head_.weight.defined()) {
      head_ = nn::Linear(read, read, random);
    }
    aspect.output = nn::Linear(read, classes, random);
  }
}

AttentionPoolingOptions Classifier::pooling_options(PoolingKeys keys) const {
  return {.mechanism = options_.attention,
          .query_width = encoder_.width(),
          .width = encoder_.width(),
          .word_width = keys == PoolingKeys::words ? encoder_.word_width() : 0,
          .dropout = options_.attention_dropout};
}

void Classifier::visit(nn::ParameterVisitor& visitor) {
  visitor("generator", generator_);
  visitor("encoder", encoder_);
  visitor("hidden", hidden_);
  if (syntax_ != nullptr) visitor("syntax", *syntax_);
  visitor("question", question_);
  visitor("hop", hop_);
  visitor("cross", cross_);
  visitor("compare", compare_);
  visitor("sentence", sentence_);
  visitor("sentences", sentences_);
  visitor("head", head_);
  visitor("aspects", aspects_);
}

Variable Classifier::judged(const Aspect& aspect, const Variable& read, const Call& call) const {
  Variable features = dropout_(read, call.noise);
  if (head_.weight.defined()) features = dropout_(head_(features, options_.head), call.noise);
  return aspect.output(features);
}

attention::Site Classifier::pooling_site(int aspect) const {
  const bool compares = options_.second && options_.matching == Matching::words;
  return {.role = attention::Role::pooling,
          .set = "pooling",
          .queries = "aspects",
          .keys = options_.documents ? "sentences"
                  : compares         ? "second"
                                     : "text",
          .aspect = aspect,
          .hop = options_.hops - 1,
          .first_key = asks_by_token() ? 1 : 0};
}

EncodedText Classifier::read(const Sequences& text, const Call& call, bool second,
                             const Variable& factors) const {
  if (options_.documents) return read_document(text, call);
  EncodedText encoded =
      without_end(encoder_(text, call, second ? kSecondSite : kTextSite, factors));
  encoded.states = dropout_(encoded.states, call.noise);
  if (syntax_ == nullptr) return encoded;
  return (*syntax_)(std::move(encoded), second ? kSecondSyntaxSite : kSyntaxSite, call);
}

EncodedText Classifier::read_document(const Sequences& text, const Call& call) const {
  const SentenceRows cut = sentence_rows(text);
  EncodedText words = without_end(encoder_(cut.sentences, call, kSentenceSite));
  words.states = dropout_(words.states, call.noise);
  const Variable vectors = pools_by_attention() ? (*sentence_)(words, kWordsSite, call)
                                                : summary_of(options_.summary, words);  // [N,D]
  const Variable by_document = embedding(vectors, cut.rows);                            // [B,M,D]
  const nn::RecurrentOutput read =
      sentences_(transpose(by_document, 0, 1), {.lengths = cut.counts, .noise = call.noise});
  return {.states = dropout_(transpose(read.outputs, 0, 1), call.noise),
          .last = concat({read.final[0].h, read.final[1].h}, 1),
          .lengths = cut.counts};
}

Variable Classifier::question(const EncodedText& second, const Call& call) const {
  return pools_by_attention() ? (*question_)(second, kQuestionSite, call)
                              : summary_of(options_.summary, second);
}

EncodedText Classifier::compared(const EncodedText& text, const EncodedText& second,
                                 const Call& call) const {
  const Variable& asks = second.states;  // [B,S2,D]
  const Variable found = (*cross_)(asks, text, kCrossSite, call, second.lengths);
  const Variable both = concat({asks, found, asks * found, asks - found}, 2);
  const Variable states = dropout_(compare_(both, Activation::relu), call.noise);
  return {.states = states, .last = last_states(states, second.lengths), .lengths = second.lengths};
}

Variable Classifier::asked(const Aspect& aspect, int number, Variable query,
                           const EncodedText& text, const Call& call) const {
  const std::int64_t batch = query.size(0), width = query.size(1);
  Variable found;
  for (int hop = 0; hop < options_.hops; ++hop) {
    if (hop > 0) query = query + hop_(found);
    attention::Site site = pooling_site(number);
    site.hop = hop;
    const Variable one = (*aspect.asked)(reshape(query, {batch, 1, width}), text, site, call);
    found = reshape(one, {batch, width});
  }
  return options_.second ? concat({found, query}, 1) : found;
}

Variable Classifier::alone(const Aspect& aspect, int number, const EncodedText& text,
                           const Call& call) const {
  return pools_by_attention() ? (*aspect.learned)(text, pooling_site(number), call)
                              : summary_of(options_.summary, text);
}

std::vector<Variable> Classifier::judge_kept(const Sequences& text, const Selection& selection,
                                             const Call& call) const {
  if (!selects()) throw UsageError("classifier: this model has no rationale; it reads all words");
  // A mean takes words that were left out as well, for their gradient: how it would change if they
  // were kept. Others are given the kept ones alone.
  const bool mean =
      options_.rationale.predictor == TextEncoderKind::bag && options_.summary == Summary::mean;
  // Nobody watches: what it reads is not the text that observers know.
  const Call unwatched{.noise = call.noise};
  Variable read;  // [B,D]
  if (mean) {
    const EncodedText words = encoder_(text, unwatched, kTextSite, selection.kept);
    const Variable one(Tensor::full({selection.words.size()}, Real{1}));
    const Variable count = maximum(sum(selection.kept, 1), one);
    read = sum(words.states, 1) / reshape(count, {count.size(0), 1});
  } else {
    const KeptWords kept = kept_words(text, selection);
    read = summary_of(options_.summary,
                      without_end(encoder_(kept.text, unwatched, kTextSite, kept.factors)));
  }
  const Variable features = hidden_(dropout_(read, call.noise), Activation::relu);
  std::vector<Variable> logits;
  for (const Aspect& aspect : aspects_) {
    logits.push_back(judged(aspect, features, call));
  }
  return logits;
}

std::vector<Variable> Classifier::operator()(const ClassifierInput& input, const Call& call,
                                             Selection* selection) const {
  if (options_.second != input.second.ids.defined()) {
    throw UsageError(options_.second ? "classifier: no second text; this model compares two"
                                     : "classifier: a second text; this model reads one");
  }
  if (input.factors.defined() && (selects() || options_.documents || asks_by_token())) {
    throw UsageError(
        "classifier: factors of the words; a model with a rationale, documents or a token in front "
        "takes none");
  }
  if (selects()) {
    const Selection found = (*generator_)(input.text, call);
    if (selection != nullptr) *selection = found;
    return judge_kept(input.text, found, call);
  }
  if (joins() && input.factors.defined()) {
    throw UsageError("classifier: factors of the words; texts that are joined take none");
  }
  const Sequences first =
      asks_by_token() ? with_token(input.text)
      : joins() ? joined(input.text, input.second, options_.joints, options_.encoder.stack.segments)
                : input.text;
  EncodedText text = read(first, call, false, input.factors);
  Variable query;  // [B,D]
  if (asks_by_token()) {
    query = select(text.states, 1, 0);
    text.states = slice(text.states, 1, 1, text.states.size(1));
    text.words = slice(text.words, 1, 1, text.words.size(1));
    text = without_end(std::move(text));
  }
  if (options_.second && !joins()) {
    const EncodedText second = read(input.second, call, true);
    if (options_.matching == Matching::words) {
      text = compared(text, second, call);
    } else {
      query = question(second, call);
    }
  }
  std::vector<Variable> logits;
  for (std::size_t i = 0; i < aspects_.size(); ++i) {
    const Aspect& aspect = aspects_[i];
    const int number = static_cast<int>(i);
    Variable features;
    if (query.defined() && pools_by_attention()) {
      features = asked(aspect, number, query, text, call);
    } else {
      features = alone(aspect, number, text, call);
      if (query.defined()) {
        features = concat({features, query, features * query, features - query}, 1);
      }
    }
    logits.push_back(judged(aspect, features, call));
  }
  return logits;
}

}  // namespace heed::models
