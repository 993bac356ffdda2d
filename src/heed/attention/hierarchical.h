// SPDX-License-Identifier: Apache-2.0
// Hierarchical attention over the sentences before (Miculicich 2018): words are summed up to
// sentences, sentences to one vector, and a gate mixes it in.
//
// Letters: B sequences, Q queries, K sentences before each, C distinct ones, W words, D features.
#pragma once  // public header

#include <memory>
#include <string>

#include "heed/attention/multi_head.h"

#pragma GCC visibility push(default)  // exported

namespace heed::attention {

struct HierarchicalOptions {
  std::string words = "scaled_dot";      // the mechanism over the words of a sentence
  std::string sentences = "scaled_dot";  // over sentences
  std::int64_t width = 0;                // D
  std::int64_t heads = 1;                // of both
};

// Sentences as it reads them. A value, reordered by beams.
struct HierarchicalMemory {
  Memory words{};              // [B*K,...], the words of sentence k before sequence b in row b*K+k
  Ids counts{};                // [B], how many sentences there are
  std::int64_t sentences = 0;  // K; 0: there is no sentence before any

  HierarchicalMemory reordered(const Ids& rows) const;
};

struct HierarchicalCall {
  Random* noise = nullptr;
  Observer* watch = nullptr;
  Site words{};      // of the attention over words
  Site sentences{};  // of the attention over sentences
};

class HierarchicalAttention {
 public:
  HierarchicalAttention() = default;
  HierarchicalAttention(const HierarchicalOptions& options, Random& random);

  bool defined() const { return words_ != nullptr; }
  void visit(nn::ParameterVisitor& visitor);
  // Makes both levels its own, which copies share otherwise: see nn::copy().
  void separate();

  // words [C,W,D] of the distinct sentences and their lengths [C]; rows [B,K] says which of them
  // are before each sequence, the nearest first, -1 after the last. UsageError for other rows.
  HierarchicalMemory memory(const Variable& words, const Ids& lengths, const Ids& rows) const;

  // x [B,Q,D] with the context mixed in [B,Q,D]; x itself where there is no sentence before.
  // Observers see the weights of both levels: words as [B,H,Q,K*W], sentences as [B,H,Q,K].
  Variable operator()(const Variable& x, const HierarchicalMemory& memory,
                      const HierarchicalCall& call = {}) const;

 private:
  std::shared_ptr<MultiHead> words_, sentences_;
  nn::Linear gate_x_, gate_context_;
  std::shared_ptr<const Pattern> visible_;
};

}  // namespace heed::attention

#pragma GCC visibility pop
