// SPDX-License-Identifier: Apache-2.0
// All options of `heed train memory`. A model folder keeps it as config.toml.
#pragma once  // public header

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "heed/models/memory_network.h"
#include "heed/pipeline/presets.h"
#include "heed/pipeline/train.h"
#include "heed/text/pairs.h"

#pragma GCC visibility push(default)  // exported

namespace heed::pipeline {

// What a slot of a memory holds.
enum class Memories { sentences, key_value };
// Which sentences of a story go into the memory: the newest, or of these those that share a word
// with the question (key hashing, Miller 2016, 3.2).
enum class Candidates { newest, shared_words };

// What the data say of the model: a file of its folder keeps it.
struct MemorySizes {
  std::int64_t slots = 1;  // S
  std::int64_t words = 1;  // J

  bool operator==(const MemorySizes&) const = default;
};

struct MemoryOptions : KindOptions {
  std::vector<std::string> train, valid;
  double valid_fraction = 0;
  std::int64_t fold = 0;
  std::int64_t batch_questions = 32;

  std::int64_t width = 20;
  std::int64_t hops = 3;
  std::int64_t slots = 50;
  models::Tying tying = models::Tying::adjacent;
  models::WordPlaces word_places = models::WordPlaces::scaled;
  bool time_encoding = true;
  bool relu = false;
  Memories memories = Memories::sentences;
  Candidates candidates = Candidates::newest;
  std::string attention = "dot | full | softmax";

  std::int64_t linear_start = 0;  // epochs
  std::int64_t halve_every = 0;   // epochs
  double time_noise = .1;
  double supervision = 0;

  MemoryOptions();
  MemoryOptions(const MemoryOptions& other) : MemoryOptions() { copy_values(other); }

  const ModelKind& kind() const override;
  void apply_preset() override;
  void check() const override;
  std::vector<std::string> data_files() const override;
  std::vector<text::DataPart> data_parts() const override;
  void take_data(std::span<const std::string> files) override;
  double suits(std::span<const std::string> files) const override;
  nn::Parameters sketch(Random& random, std::int64_t tokens = 0) const override;
  bool validates() const override;
  std::unique_ptr<TrainingSetup> setup(const Print& print) const override;

  text::HoldOut held() const { return {valid_fraction, trainer.seed, fold}; }
  models::MemoryNetworkOptions to_options(std::int64_t vocabulary, const MemorySizes& sizes) const;
};

std::span<const Preset> memory_presets();
// What makes a memory network what it is.
void declare_memory_network(MemoryOptions& mine, Options& list);

}  // namespace heed::pipeline

#pragma GCC visibility pop
