// SPDX-License-Identifier: Apache-2.0
// Memory networks trained end to end (Sukhbaatar 2015): a question looks at the sentences of a
// story in several hops, each of which adds what was found to it; and key-value memories (Miller
// 2016), where what is looked for and what is read are different texts.
//
// Letters: B questions, S slots of a memory, J words of a sentence, U sentences, V words, D
// features, K hops.
#pragma once  // public header

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "heed/attention/attention.h"
#include "heed/models/call.h"

#pragma GCC visibility push(default)  // exported

namespace heed::models {

// The word that is none: it reads as zeros, is never trained, and fills sentences up.
inline constexpr std::int32_t kNullWord = 0;
// The sentence of such words: it fills memories up.
inline constexpr std::int32_t kEmptySentence = 0;

// Which tables of embeddings are one.
enum class Tying {
  adjacent,    // what a hop reads is what the next looks at: A of hop k + 1 = C of hop k
  layer_wise,  // all hops have the same two, and u <- H u + o
};
const std::vector<std::string>& tying_names();

// How the place of a word in its sentence counts. With j of J words and feature k of D:
enum class WordPlaces {
  scaled,  // 1 + 4 (k - (D + 1) / 2) (j - (J + 1) / 2) / (D J): the authors' code, mean 1
  paper,   // (1 - j / J) - (k / D) (1 - 2 j / J): Eq. 4 of the paper, mean 1/2
  none,    // a bag of words
};
const std::vector<std::string>& word_places_names();
// [J,D]
Tensor word_place_weights(WordPlaces places, std::int64_t words, std::int64_t width);

struct MemoryNetworkOptions {
  std::int64_t vocabulary = 0;  // V, the null word included
  std::int64_t width = 20;      // D
  int hops = 3;
  std::int64_t slots = 50;  // S: empty ones take part, so it is a number of the model
  std::int64_t words = 1;   // J, of the longest sentence
  std::int64_t ages = 0;    // rows of the time encoding, the newest sentence being 1; 0: none
  WordPlaces places = WordPlaces::scaled;
  Tying tying = Tying::adjacent;
  bool rectified = false;  // ReLU after each hop
  // Keys and values are different texts of one table, answers have another, and u <- R_k (u + o).
  bool key_value = false;
  // In its written form, the same for all hops; parameters of its own each hop has for itself, or
  // with layer-wise tying all share.
  std::string attention = "dot | full | softmax";
};

// Stories with a question each. Sentences that come again are read once.
struct StoryBatch {
  Ids sentences;  // [U,J], padded with the null word; the first is the empty one
  Ids questions;  // [B], of `sentences`
  Ids keys;       // [B,S], of `sentences`, oldest first, then empty ones
  Ids values;     // [B,S], of key-value memories; others do not read it
  Ids ages;       // [B,S], 1 for the newest sentence, 0 for empty slots
  Ids lengths;    // [B], slots that are not empty
};

struct StoryRead {
  // Without the normaliser: how training starts where it would not find out of a plateau.
  bool linear = false;
  bool scores = false;  // whether the scores of the hops are asked for
};

struct StoryAnswers {
  Variable logits;   // [B,V]
  Variables scores;  // [B,S] of each hop, when asked for
};

class MemoryNetwork {
 public:
  // UsageError for sizes that cannot be, and for an attention that shows no weights.
  MemoryNetwork(const MemoryNetworkOptions& options, Random& random);

  // UsageError for a batch whose sizes are not the model's, and for a linear reading where the
  // attention is not made of parts.
  StoryAnswers operator()(const StoryBatch& batch, const Call& call = {},
                          const StoryRead& read = {}) const;

  const MemoryNetworkOptions& options() const { return options_; }
  // Whether weights are softmax of the scores, so that a loss of the scores teaches where to look.
  bool scores_are_logits() const { return hops_.front().softened->has_log_sum_exp(); }
  // Whether the attention is made of parts, so that its normaliser can be left out.
  bool reads_linearly() const { return hops_.front().linear != nullptr; }
  void visit(nn::ParameterVisitor& visitor);

 private:
  // A table of embeddings, and the ages that belong to it.
  struct Table {
    Variable words;  // [V,D]
    Variable ages;   // [ages + 1, D] or not defined

    void visit(nn::ParameterVisitor& visitor);
  };
  // The attention of a hop with its normaliser and without: one set of parameters.
  struct Hop {
    std::shared_ptr<attention::Attention> softened;
    std::shared_ptr<attention::Attention> linear;  // nullptr: it has no parts
    Variable map;                                  // [D,D] of key-value memories

    void visit(nn::ParameterVisitor& visitor);
  };
  Hop make_hop(Random& random) const;
  void check(const StoryBatch& batch) const;
  // [U,D]
  Variable sentence_vectors(const Table& table, const Ids& sentences) const;
  std::size_t key_table(int hop) const;
  std::size_t value_table(int hop) const;
  std::size_t question_table() const;
  std::size_t output_table() const;
  Variable after_hop(const Variable& state, const Variable& found, const Hop& hop) const;

  MemoryNetworkOptions options_;
  Tensor place_weights_;  // [J,D]; not defined for a bag of words
  std::vector<Table> tables_;
  std::vector<Hop> hops_;  // one, or one for each
  Variable state_map_;     // [D,D], H of layer-wise tying
};

}  // namespace heed::models

#pragma GCC visibility pop
