// SPDX-License-Identifier: Apache-2.0
// A stack of Transformer layers (Vaswani 2017): self-attention, attention over a source where there
// is one, feed-forward. Encoders, decoders and language models are made of it.
//
// Letters: B sequences, T tokens, D width.
#pragma once  // public header

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "heed/attention/multi_head.h"
#include "heed/models/call.h"
#include "heed/models/state.h"
#include "heed/models/transformer_stack_options.h"
#include "heed/nn/embedding.h"
#include "heed/nn/feed_forward.h"
#include "heed/nn/norm.h"

#pragma GCC visibility push(default)  // exported

namespace heed::models {

struct TransformerLayer {
  nn::Norm self_norm{}, cross_norm{}, feed_norm{};
  std::unique_ptr<attention::MultiHead> self{}, cross{};  // cross: where the stack has a source
  nn::FeedForward feed{};

  void visit(nn::ParameterVisitor& visitor);
};

// What a layer remembers of the tokens before.
struct LayerPast {
  attention::Memory history{};  // the key/value cache: keys and values of past tokens
  attention::AttentionState self{}, cross{};

  void visit(StateVisitor& visitor) {
    visitor("history", history);
    visitor("self", self);
    visitor("cross", cross);
  }
};

// The state of a stack that writes token by token.
struct StackState {
  std::vector<LayerPast> layers{};

  void visit(StateVisitor& visitor) { visitor("layers", layers); }
};

// What one layer's attention over the source found, for those who ask.
struct CrossLook {
  int layer = 0;
  Variable context{};  // [B,T,D]
  Variable weights{};  // [B,H,T,S]
  Tensor masked{};     // [B,H,T,S], when watched: the same, kMasked for hidden keys
};

class TransformerStack {
 public:
  TransformerStack() = default;
  // UsageError that says what would be right for options that do not fit each other.
  TransformerStack(const TransformerStackOptions& options, Random& random);

  // Vectors of the tokens [B,T], their positions with them; the first is at `first`: [B,T,D]. Of
  // `segments` [B,T], which text each is of; not defined: all of the first.
  Variable embed(const nn::Embedding& words, const Ids& ids, std::int64_t first, const Call& call,
                 const Ids& segments = {}) const;

  // The cells of a grid row by row, behind `tokens` that are no cells.
  struct Cells {
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::int64_t tokens = 0;
  };
  // Vectors x [B, tokens + rows * columns, D] with their positions: sines are of row and column
  // apart, tokens have none; learned ones are of each token and cell.
  Variable place(const Variable& x, const Cells& cells, const Call& call) const;

  struct Input {
    Ids lengths{};  // [B], tokens that are not padding; not defined: all
    // The source of each layer, of sources(). Row b is read by row b.
    std::span<const attention::Memory> sources{};
    // The past of each layer, which these tokens resume from and become part of. Without it they
    // are the beginning.
    std::span<LayerPast> pasts{};
    // What each layer read of tokens before these [B,M,D], or not defined, where their pasts are
    // not kept: they are looked at once more, and are positions 0 to M - 1.
    std::span<const Variable> before{};
    // Filled with what each layer reads of these tokens [B,T,D].
    Variables* read = nullptr;
    CrossLook* look = nullptr;  // filled by its layer
    // What observers are told of the self-attention, where it is not what the options say.
    const attention::Site* site = nullptr;
  };
  // x [B,T,D] through all layers, and the norm after the last: [B,T,D].
  Variable operator()(Variable x, const Input& input, const Call& call) const;

  // What each layer's cross attention reads of a source [B,S,D].
  std::vector<attention::Memory> sources(const Variable& source, const Ids& lengths) const;

  // The most tokens it can read; 0: any number.
  std::int64_t longest() const { return options_.most_tokens(); }
  std::size_t size() const { return layers_.size(); }

  // For those who name their parameters; the norm is there where norms come first.
  std::vector<TransformerLayer>& layers() { return layers_; }
  const std::vector<TransformerLayer>& layers() const { return layers_; }
  nn::Norm& last_norm() { return norm_; }
  attention::LearnedPositions& positions() { return positions_; }
  // Those of the embeddings that are not positions: segments and their norm.
  void visit_embeddings(nn::ParameterVisitor& visitor);
  void visit(nn::ParameterVisitor& visitor);

 private:
  // The two kinds of attention: what they see of positions differs.
  enum class Kind { self, cross };

  std::unique_ptr<attention::MultiHead> make_attention(Kind kind, Random& random) const;
  // Gives all layers the first one's table of distances.
  void share_relative_table();
  Variable drop(const Variable& x, const Call& call) const;
  Variable attend(const attention::MultiHead& heads, const Variable& query,
                  const attention::Memory& memory, attention::AttentionState& state,
                  attention::AttendOptions options, const nn::Packing& packing, const Call& call,
                  CrossLook* look = nullptr) const;
  // x [B,T,D] through sublayer f, its norm and the way around it.
  template <typename Sublayer>
  Variable residual(const nn::Norm& norm, const Variable& x, const Call& call,
                    const Sublayer& sublayer) const;
  Variable attend_to_itself(std::size_t layer, const Variable& x, const Input& input,
                            LayerPast& past, const nn::Packing& packing, const Call& call) const;
  const attention::Site& self_site(const Input& input) const {
    return input.site != nullptr ? *input.site : options_.site;
  }
  // How the tokens of x lie while they go through the layers.
  nn::Packing packing_for(const Variable& x, const Input& input) const;

  TransformerStackOptions options_;
  std::vector<TransformerLayer> layers_;
  nn::Norm norm_, embedding_norm_;
  nn::Embedding segments_;
  attention::LearnedPositions positions_;
  // What each kind of attention may see at most, whatever is written.
  std::shared_ptr<const attention::Pattern> visible_, source_visible_;
};

}  // namespace heed::models

#pragma GCC visibility pop
