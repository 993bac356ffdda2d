// SPDX-License-Identifier: Apache-2.0
// Transformer-XL (Dai 2019): a causal stack that reads a text segment by segment and looks at what
// its layers read of the segments before, through which no gradient goes; and the Compressive
// Transformer (Rae 2020), which keeps the oldest of these states in slots of several.
//
// Segments lie where the text says, not where it is cut for reading: a text read at once, in parts
// or token by token gives the same numbers. Of M remembered states, C slots and L layers, the first
// token of a segment sees M + C states in each layer, and the text reaches L times as far.
#pragma once  // public header

#include <vector>

#include "heed/models/language_model.h"
#include "heed/models/memory_compression.h"
#include "heed/models/transformer_stack.h"

#pragma GCC visibility push(default)  // exported

namespace heed::models {

struct TransformerXlOptions {
  std::int64_t vocabulary = 0;
  std::int64_t segment = 64;  // tokens
  std::int64_t memory = 64;   // M, states of earlier segments that each layer keeps; 0: none
  CompressionKind compression = CompressionKind::none;
  std::int64_t rate = 4;      // states that become one slot
  std::int64_t slots = 64;    // C, how many of these are kept
  double reconstruction = 1;  // what the loss of compressions that learn counts
  Tie tie = Tie::target;      // none: the output has a table of its own
  // Its `causal`, `cross` and `name` are set by the model. Positions of a text have no end here:
  // they are distances, relative, rotary or none.
  TransformerStackOptions stack{.name = "transformer_xl",
                                .activation = Activation::gelu,
                                .positions = Positions::distances,
                                .causal = true};
};

// What a layer keeps of the text.
struct SegmentPast {
  Variable slots;    // [B,C,D], compressed states, the oldest first
  Variable memory;   // [B,M,D], what it read of the segments before
  Variable segment;  // [B,t,D], and of this one so far
  LayerPast past;    // keys and values of all three, while weights stay as they are

  void visit(StateVisitor& visitor) {
    visitor("slots", slots);
    visitor("memory", memory);
    visitor("segment", segment);
    visitor("past", past);
  }
};

struct TransformerXlState {
  std::int64_t keep = 0;  // states that memories may have
  std::vector<SegmentPast> layers{};

  void visit(StateVisitor& visitor) { visitor("layers", layers); }
};

class TransformerXl final : public LanguageModel {
 public:
  TransformerXl(const TransformerXlOptions& options, Random& random);

  void visit(nn::ParameterVisitor& visitor) override;
  std::int64_t vocabulary() const override { return options_.vocabulary; }
  std::int64_t segment() const override { return options_.segment; }
  DecoderState start(std::int64_t tracks) const override;
  DecoderState start_remembering(std::int64_t tracks, std::int64_t memory) const override;
  Reading read(const DecoderState& state, const Ids& tokens, const Call& call) const override;
  Variable logits(const Variable& hidden) const override;

  // For tests and those who look: what a state holds.
  static const TransformerXlState& inside(const DecoderState& state) {
    return state.own.as<TransformerXlState>();
  }

 private:
  // Tokens [B,T] of one segment. `share` is their part of what is read.
  Variable read_piece(TransformerXlState& state, const Ids& tokens, double share,
                      const Call& call) const;
  // The segment becomes memory, and the oldest memory slots.
  void end_segment(TransformerXlState& state, double share, const Call& call) const;
  // What stands for the states old [B,E,D] that leave the memory of a layer, after `segment`.
  Variable compressed(std::size_t layer, const Tensor& old, const Tensor& segment, double share,
                      const Call& call) const;

  TransformerXlOptions options_;
  nn::Embedding words_;
  TransformerStack stack_;
  std::vector<MemoryCompression> compressions_;  // of each layer, where they are compressed
  Variable output_;                              // [V,D] unless tied
  Variable output_bias_;                         // [V]
};

}  // namespace heed::models

#pragma GCC visibility pop
