// SPDX-License-Identifier: Apache-2.0
// The Transformer's decoder (Vaswani 2017, figure 1, right half) over the states of any encoder.
#pragma once  // public header

#include <span>
#include <vector>

#include "heed/models/copying.h"
#include "heed/models/decoder.h"
#include "heed/models/tie.h"
#include "heed/models/transformer_stack.h"

#pragma GCC visibility push(default)  // exported

namespace heed::models {

struct TransformerDecoderOptions {
  std::int64_t vocabulary = 0;
  // Its `causal` and `cross` are set by the decoder; stack.source_width is that of the encoder.
  TransformerStackOptions stack{};
  bool tied = true;  // whether the output is the table of embeddings
  // Whether words of the source may be copied (See 2017), with the weights of one layer's attention
  // over it: of one head, or the mean of all.
  bool copies = false;
  int copy_layer = -1;  // -1: the last
  int copy_head = -1;   // -1: the mean of all
};

// A source as the decoder reads it.
struct TransformerSource {
  std::vector<attention::Memory> memories{};  // one per layer of the decoder
  CopySource copies{};                        // where the model copies
  attention::HierarchicalMemory before{};     // the target sentences before, where it reads them

  void visit(StateVisitor& visitor) {
    visitor("memories", memories);
    visitor("copies", copies);
    visitor("before", before);
  }
};

class TransformerDecoder final : public Decoder {
 public:
  TransformerDecoder() = default;
  // With a table of embeddings of its own. UsageError that says what would be right for options
  // that do not fit each other.
  TransformerDecoder(const TransformerDecoderOptions& options, Random& random);
  // With this one, which may be another model's too.
  TransformerDecoder(const TransformerDecoderOptions& options, nn::Embedding words, Random& random);

  // "embedding", "positions", "layers", "norm", "output", ...; a model of two halves names them.
  struct Names {
    const char* words = "embedding";
    const char* positions = "positions";
    const char* layers = "layers";
    const char* norm = "norm";
  };
  void visit(nn::ParameterVisitor& visitor) override;
  void visit_words(nn::ParameterVisitor& visitor, const Names& names);
  void visit_layers(nn::ParameterVisitor& visitor, const Names& names);
  void visit_norm(nn::ParameterVisitor& visitor, const Names& names);
  void visit_output(nn::ParameterVisitor& visitor);
  void visit_context(nn::ParameterVisitor& visitor, const char* name);

  Encoded read(const EncoderStates& source) const override;
  Decoded decode(const Encoded& encoded, const Sequences& target, const Call& call) const override;
  DecoderState start(const Encoded& encoded) const override;
  Step step(const Encoded& encoded, const DecoderState& state, const Ids& tokens,
            const Call& call) const override;
  std::int64_t longest() const override { return stack_.longest(); }

  // From now on it reads the target sentences before as well (Miculicich 2018), after its last
  // layer.
  void read_sentences_before(Random& random);
  bool reads_sentences_before() const { return before_.defined(); }
  // What it reads of them: targets [C,T] written for the states of their sources; rows as of
  // HierarchicalAttention::memory.
  attention::HierarchicalMemory sentences_before(const EncoderStates& sources,
                                                 const Sequences& targets, const Ids& rows,
                                                 const Call& call) const;
  bool copies() const { return copying_.defined(); }

 private:
  // The target so far, as the decoder is given it: embedded, through the layers, with the sentences
  // before mixed in.
  struct Read {
    Variable words;    // [B,T,width]
    Variable hidden;   // [B,T,width]
    CrossLook look{};  // where it copies
  };
  Read read_target(const TransformerSource& source, const Sequences& before, std::int64_t first,
                   std::span<LayerPast> pasts, const Call& call) const;
  // The weights to copy with: [B,T,S].
  Variable copying_weights(const CrossLook& look) const;
  // hidden [N,width] after the last layer -> [N,V]
  Variable logits(const Variable& hidden) const;

  TransformerDecoderOptions options_;
  nn::Embedding words_;
  TransformerStack stack_;
  Variable output_;       // [V, width] unless tied
  Variable output_bias_;  // [V]
  PointerGenerator copying_;
  attention::HierarchicalAttention before_;
};

}  // namespace heed::models

#pragma GCC visibility pop
