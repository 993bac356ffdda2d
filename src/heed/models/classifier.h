// SPDX-License-Identifier: Apache-2.0
// Classifiers of texts: any encoder, an attention that reads its states into one vector for each
// aspect, and a linear layer to the classes. Pairs of texts and documents of sentences as well.
//
// With a rationale the text goes through a generator first (rationale.h), and what is classified
// are the words it keeps.
//
// Letters: B texts, S tokens, D features, C classes.
#pragma once  // public header

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "heed/attention/trace.h"
#include "heed/models/pooling.h"
#include "heed/models/rationale.h"
#include "heed/nn/linear.h"

#pragma GCC visibility push(default)  // exported

namespace heed::models {

class [[gnu::visibility("hidden")]] SyntacticAttention;  // syntactic_attention.h, which is internal

// Who asks: a learned vector for each aspect, or the state of a token put before the text.
enum class PoolingQuery { learned, token };
const std::vector<std::string>& pooling_query_names();
// What decides how much a word is attended to: its state, or the word alone. A state knows its
// neighbours, so that attention to a word may mean the word beside it; with the word as key it is
// the word that is meant, and the state is still what is read.
enum class PoolingKeys { states, words };
const std::vector<std::string>& pooling_keys_names();
// How a second text is read with the first: its summary is the query, several times over if need be
// (Sukhbaatar 2015); each of its words looks for its like, and what they find is compared word by
// word (Parikh 2016); or both are one text, told apart by segments (Devlin 2019).
enum class Matching { query, words, joined };
const std::vector<std::string>& matching_names();

struct ClassifierOptions {
  TextEncoderOptions encoder{};
  std::vector<std::int64_t> classes = {2};  // of each aspect
  // The mechanism in its written form, or "none": then `summary` makes one vector of all states.
  std::string attention = "additive";
  Summary summary = Summary::mean;
  PoolingQuery query = PoolingQuery::learned;
  PoolingKeys keys = PoolingKeys::states;
  bool second = false;
  Matching matching = Matching::query;
  int hops = 1;    // how often a second text's query reads the first
  int joints = 1;  // text::kEnd between texts that are joined
  // Of a layer of as many features before the output (BERT's pooler); none: there is no such layer.
  Activation head = Activation::none;
  // Texts of sentences, each ending with text::kEnd: words make sentences, sentences the text, each
  // by an encoder and an attention of its own (Yang 2016).
  bool documents = false;
  // Syntactic attention of each text over itself, in its written form, such as "bilinear | full |
  // tree": the states that are pooled know the word that theirs hangs on (Kim 2017). Empty: none.
  std::string syntax{};
  // With a gate, `encoder` is the generator's, and the words that it keeps are read without
  // attention, by `summary`.
  RationaleOptions rationale{};
  Real dropout = 0;  // of states, and of what the output reads
  Real attention_dropout = 0;
};

struct ClassifierInput {
  Sequences text{};    // [B,S], ending with text::kEnd
  Sequences second{};  // [B,S2], for pairs
  // [B,S], or not defined: what the words of the text are multiplied by. At 1 their gradient is
  // that of the words times the words (gradient x input). Not of a Transformer, of documents or
  // with a token in front, and with a rationale what it keeps is the like.
  Variable factors{};
};

class Classifier {
 public:
  // UsageError that says what would be right for options that do not fit each other.
  Classifier(const ClassifierOptions& options, Random& random);

  // The logits [B,C] of each aspect. Of a model with a rationale, `selection` is told what was
  // kept.
  std::vector<Variable> operator()(const ClassifierInput& input, const Call& call = {},
                                   Selection* selection = nullptr) const;
  // The same of a model with a rationale, for a selection that is given.
  std::vector<Variable> judge_kept(const Sequences& text, const Selection& selection,
                                   const Call& call = {}) const;

  // Whether a token is put in front of the text and asks for all aspects.
  bool asks_by_token() const { return options_.query == PoolingQuery::token; }

  // How much each aspect looked at each token of the first text, of the trace that one call left:
  // [B,S] per aspect, 0 for padding. Weights of words are multiplied by those of their sentence, or
  // of the second text's word that looked at them. With a rationale, what was kept. Empty for a
  // model with neither.
  std::vector<Tensor> token_weights(const attention::Trace& trace,
                                    const ClassifierInput& input) const;

  // Whether there are weights of words to show.
  bool attends() const { return pools_by_attention() || selects(); }
  bool selects() const { return generator_ != nullptr; }
  // Whether factors of the words may be given, so that there are gradients of words.
  bool takes_factors() const {
    return !selects() && !options_.documents && !asks_by_token() && !joins() &&
           options_.encoder.kind != TextEncoderKind::transformer;
  }
  // Whether the weights of its words are those of one look of each aspect at the states.
  bool looks_once() const {
    return pools_by_attention() && !selects() && !options_.documents && options_.hops == 1 &&
           !(options_.second && options_.matching != Matching::query);
  }
  // Whether two texts are read as one.
  bool joins() const { return options_.second && options_.matching == Matching::joined; }
  // Its syntactic attention; nullptr: it has none.
  const SyntacticAttention* syntax() const { return syntax_.get(); }
  std::int64_t longest() const { return selects() ? generator_->longest() : encoder_.longest(); }
  void visit(nn::ParameterVisitor& visitor);

 private:
  // What is of its own for each aspect.
  struct Aspect {
    std::unique_ptr<LearnedPooling> learned{};
    std::unique_ptr<AttentionPooling> asked{};  // by a token or a second text
    nn::Linear output{};
    void visit(nn::ParameterVisitor& visitor);
  };

  bool pools_by_attention() const { return options_.attention != "none"; }
  // Whether its summary asks about the first.
  bool asks_by_second() const { return options_.second && options_.matching == Matching::query; }
  AttentionPoolingOptions pooling_options(PoolingKeys keys) const;
  // The text as states that an aspect pools: of tokens, or of sentences.
  EncodedText read(const Sequences& text, const Call& call, bool second,
                   const Variable& factors = {}) const;
  EncodedText read_document(const Sequences& text, const Call& call) const;
  // What observers are told of an aspect's look, the last one of all hops.
  attention::Site pooling_site(int aspect) const;
  // A vector of the whole second text.
  Variable question(const EncodedText& second, const Call& call) const;
  // The words of the second text, each with what it found in the first.
  EncodedText compared(const EncodedText& text, const EncodedText& second, const Call& call) const;
  // query [B,D] reads the text `hops` times: [B,2D], what was read last and the query.
  Variable asked(const Aspect& aspect, int number, Variable query, const EncodedText& text,
                 const Call& call) const;
  Variable alone(const Aspect& aspect, int number, const EncodedText& text, const Call& call) const;
  // The logits of what was read [B,D].
  Variable judged(const Aspect& aspect, const Variable& read, const Call& call) const;

  ClassifierOptions options_;
  nn::Dropout dropout_;
  // Rationales
  std::unique_ptr<RationaleGenerator> generator_;
  nn::Linear hidden_;
  // Of the text, or of the words that were kept of it.
  TextEncoder encoder_;
  std::shared_ptr<SyntacticAttention> syntax_;  // shared by nobody; its type is not known here
  // Pairs
  std::unique_ptr<LearnedPooling> question_;
  nn::Linear hop_;
  std::unique_ptr<AttentionPooling> cross_;
  nn::Linear compare_;
  nn::Linear head_;
  // Documents
  std::unique_ptr<LearnedPooling> sentence_;
  nn::RecurrentNetwork sentences_;
  std::vector<Aspect> aspects_;
};

// Two texts as one: `joints` times text::kEnd between them, the second of another segment where
// `segments` tell texts apart.
Sequences joined(const Sequences& first, const Sequences& second, int joints,
                 std::int64_t segments);

// The sentences of documents, each a row of its own.
struct SentenceRows {
  Sequences sentences;  // [N,S'], in the order of the documents
  Ids rows;             // [B,M], the row of each document's sentences, 0 after the last
  Ids counts;           // [B], sentences of each
};
// Cut after every text::kEnd.
SentenceRows sentence_rows(const Sequences& documents);

}  // namespace heed::models

#pragma GCC visibility pop
