// SPDX-License-Identifier: Apache-2.0
// How well sequences of bits are answered, and whether the heads of a machine do anything.
#pragma once  // public header

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "heed/corpora/bits/bit_tasks.h"
#include "heed/pipeline/machine/bit_model.h"

#pragma GCC visibility push(default)  // exported

namespace heed::pipeline {

// A batch of sequences of one length as tensors.
struct BitTensors {
  Tensor inputs;    // [T,B,I]
  Tensor targets;   // [T,B,O], 0 where nothing is asked
  Tensor asked;     // [T,B,O], 1 where something is
  double bits = 0;  // that are asked for
};
BitTensors tensors_of(std::span<const corpora::BitSequence> sequences,
                      const corpora::BitForm& form);

// -log p of the bits that are asked for, summed, in nats: of a 1 softplus(-x), of a 0 softplus(x).
Variable bits_loss(const Variable& logits, const BitTensors& batch);

struct BitQuality {
  std::size_t sequences = 0;
  double asked = 0;              // bits, of all
  double wrong = 0;              // bits on the wrong side of 1/2
  double nats = 0;               // -log p, of all
  std::vector<double> costs{};   // bits per sequence, of each
  std::vector<double> wrongs{};  // wrong bits, of each

  double cost() const;         // bits per sequence, the mean
  double wrong_share() const;  // of the bits that are asked for
};
BitQuality bit_quality(const BitModel& model, std::span<const corpora::BitSequence> sequences,
                       const corpora::BitForm& form);

// What a head did in a sequence.
struct HeadUse {
  double spread = 1;   // slots it looks at in a step: (Σw)² / Σw², the mean over steps
  double visited = 1;  // slots it looks at in the whole sequence, by the sums of its weights
};
// Of every head, those that read first; the mean over these sequences.
std::vector<HeadUse> head_uses(const models::TuringMachine& machine,
                               std::span<const corpora::BitSequence> sequences,
                               const corpora::BitForm& form);
// What is to be said where all heads that read, or all that write, look at every slot alike or stay
// on one slot; empty: nothing.
std::vector<std::string> signs_of_collapse(std::span<const HeadUse> uses,
                                           const models::TuringMachineOptions& options);

}  // namespace heed::pipeline

#pragma GCC visibility pop
