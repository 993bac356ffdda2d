// SPDX-License-Identifier: Apache-2.0
// Looks: every attention between the tokens of an input and one number of a model, with the
// gradients of the number, as explainers that follow attention through layers read them.
//
// Letters: N tokens as the model has them, special ones included; T tokens that are explained;
// H heads, Q queries, D features.
#pragma once  // public header

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "heed/base/options.h"
#include "heed/tensor/tensor.h"

#pragma GCC visibility push(default)  // exported

namespace heed::explain {

struct Look {
  Tensor weights{};    // [H,Q,N], 0 for tokens that a query could not see
  Tensor gradients{};  // [H,Q,N], of the number by the weights
  // [H,N,D], what each head hands on of a token at weight 1, behind the output's projection; not
  // defined: unknown.
  Tensor values{};
};

struct Looks {
  std::vector<int> words{};  // [N], which of the T each token belongs to; -1: none
  std::size_t size = 0;      // T
  // The layers of self-attention, Q = N, the first first.
  std::vector<Look> layers{};
  // Where the number reads the states of the last layer by attention: one for each attention that
  // does (a pooling, a decoder's layers), and the query that the number was made at.
  std::vector<Look> reads{};
  std::int64_t query = 0;
  // [N], how much of each token's last state the number reads where `reads` is empty.
  std::vector<double> readout{};
  bool causal = false;  // tokens see none after them

  std::int64_t tokens() const { return static_cast<std::int64_t>(words.size()); }  // N
};

// [N] numbers of tokens added up over words, those of no word left out: [T].
std::vector<double> by_word(const Looks& looks, std::span<const double> tokens);

// [N], how much of each token's last state the number reads: the mean over `reads` and their heads
// of the query's weights, or `readout`.
std::vector<double> read_at(const Looks& looks);

// Which look an explainer takes: "read", what the number was read with where attention does that,
// else the last layer; "all", the mean over layers; or a layer's number, from 0.
struct LayerChoice {
  std::string name = "read";
  const std::string& text() const { return name; }
  void read(const std::string& written);
};
// Which heads of it: "mean" of all, the "max" of them, or a head's number, from 0.
struct HeadChoice {
  std::string name = "mean";
  const std::string& text() const { return name; }
  void read(const std::string& written);
};
struct LookChoice {
  LayerChoice layer{};
  HeadChoice head{};

  void declare(Options& options);
};

// The shares of words [T] by the chosen looks: `cells` makes of one, of the chosen heads, a tensor
// [H',Q,N], of whose rows those are added up that the number reads. UsageError for a layer or head
// that is not there.
using Cells = std::function<Tensor(const Look& look)>;
std::vector<double> shares_of(const Looks& looks, const LookChoice& choice, const Cells& cells);

}  // namespace heed::explain

#pragma GCC visibility pop
