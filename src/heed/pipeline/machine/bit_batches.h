// SPDX-License-Identifier: Apache-2.0
// BitBatches: the sequences that a training learns from, batch after batch, all of a batch of one
// length. Which they are is a function of the seed and the number of the batch, which is the place
// that a checkpoint keeps.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "heed/corpora/bits/bit_files.h"
#include "heed/pipeline/machine/machine_options.h"

namespace heed::pipeline {

struct BitBatch {
  std::vector<corpora::BitSequence> sequences{};
  bool ends_epoch = false;
};

class BitBatches {
 public:
  // The options must outlive it. DataError as of the file, where there is one.
  explicit BitBatches(const MachineOptions& options);

  BitBatch next();
  std::uint64_t number() const { return number_; }  // of the next
  void seek(std::uint64_t number) { number_ = number; }
  std::uint64_t epoch_batches() const;
  const corpora::BitForm& form() const { return form_; }
  std::string report() const;
  std::uint64_t bytes() const;

 private:
  // Places of sequences, batch by batch, for this epoch.
  const std::vector<std::vector<std::size_t>>& order_of(std::uint64_t epoch);

  const MachineOptions& options_;
  std::vector<corpora::BitSequence> file_{};  // none where sequences are made
  corpora::BitForm form_;
  std::uint64_t number_ = 0;
  std::uint64_t ordered_epoch_ = 0;
  std::vector<std::vector<std::size_t>> order_{};
};

// The sequences of a file, which must be of this form. DataError with file and line.
std::vector<corpora::BitSequence> read_sequences(const std::string& file,
                                                 const corpora::BitForm& form);
// Those of validation: of a file, or fresh ones that no batch has, of all lengths.
std::vector<corpora::BitSequence> validation_sequences(const MachineOptions& options,
                                                       const corpora::BitForm& form);
// The length of a batch, and how often repeat-copy repeats it.
struct DrawnLength {
  std::int64_t length = 1;
  std::int64_t repeats = 1;
};
DrawnLength drawn_length(const corpora::BitForm& form, std::uint64_t seed, std::uint64_t batch);

}  // namespace heed::pipeline
