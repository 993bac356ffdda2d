// SPDX-License-Identifier: Apache-2.0
// Names, limits and help of the options of memory networks.
#include "heed/pipeline/memory/memory_options.h"

#include <array>
#include <cmath>

#include "heed/base/error.h"

namespace heed::pipeline {
namespace {

// The rates are those of the authors' code times 32: it sums the losses of a batch of 32, and here
// they are averaged. Its clipping to 40 becomes 1.25 likewise. One thread: an update of so small a
// model takes a quarter of a millisecond, and waiting for a second thread takes longer.
constexpr std::array<Preset, 3> kMemoryPresets = {{
    {"task", R"(
width = 20
hops = 3
threads = 1
linear-start = 20
halve-every = 25
max-epochs = 120
learning-rate = 0.16
clip-each = 1.25
)"},
    {"joint", R"(
width = 50
hops = 3
threads = 1
linear-start = 30
halve-every = 15
max-epochs = 90
learning-rate = 0.16
clip-each = 1.25
)"},
    {"key-value", R"(
memories = "key-value"
candidates = "shared-words"
time-encoding = false
width = 32
hops = 3
threads = 1
max-epochs = 40
optimiser = "adam"
learning-rate = 0.005
clip-norm = 1.0
)"},
}};

const std::vector<std::string>& memories_names() {
  static const std::vector<std::string> names = {"sentences", "key-value"};
  return names;
}

const std::vector<std::string>& candidates_names() {
  static const std::vector<std::string> names = {"newest", "shared-words"};
  return names;
}

}  // namespace

void declare_memory_network(MemoryOptions& mine, Options& list) {
  list.section("Model");
  list.add("width", mine.width, "features of a sentence").range(1, 4096);
  list.add("hops", mine.hops, "how often the question looks at the memory").range(1, 64);
  list.add("slots", mine.slots,
           "sentences that the memory holds at most, the newest; with shorter stories it has as "
           "many as the longest")
      .range(1, 10'000);
  list.add("tying", mine.tying, models::tying_names(),
           "tables of embeddings that are one: adjacent, what a hop reads is what the next looks "
           "at; layer-wise, all hops share theirs");
  list.add("word-places", mine.word_places, models::word_places_names(),
           "how the place of a word in its sentence counts: scaled as in the authors' code, as in "
           "the paper, or not at all (a bag of words)");
  list.add("time-encoding", mine.time_encoding, "learn a vector for the age of a sentence");
  list.add("relu", mine.relu, "rectify the state after each hop");
  list.add("memories", mine.memories, memories_names(),
           "what a slot holds: a sentence, or the key and the value on the sides of its arrow =>");
  list.add("candidates", mine.candidates, candidates_names(),
           "sentences that go into the memory: the newest, or of these those that share a word "
           "with the question");
  list.add("attention", mine.attention,
           "mechanism of the hops in its written form; with the pattern padding empty slots are "
           "hidden, which costs much where the answer is that nothing was said")
      .kind("MECHANISM");
}

MemoryOptions::MemoryOptions() {
  trainer.optimiser = "sgd";
  trainer.schedule.decay = training::Decay::constant;
  trainer.schedule.peak = .16;
  trainer.validate_every = "10 epochs";
  trainer.save_every = "10 epochs";
  trainer.early_stopping = "error";
  trainer.patience = 0;
  declare_run(memory_presets());
  list.section("Data");
  list.add("train", train,
           "files of stories with questions: numbered lines, a tab between a question, its answer "
           "and the numbers of its supporting facts (or gz); several are learnt jointly")
      .kind("FILE")
      .required();
  list.add("valid", valid, "validation stories, likewise; the error is given for each file")
      .kind("FILE");
  list.add("valid-fraction", valid_fraction,
           "without validation files: the share of training stories held out as one")
      .at_least(0)
      .below(1);
  list.add("fold", fold, "which part of that size is held out, from 0; --folds goes through them")
      .at_least(0);
  list.add("batch-questions", batch_questions, "questions of a batch").range(1, 1 << 16);
  declare_memory_network(*this, list);
  list.section("How it learns");
  list.add("linear-start", linear_start,
           "epochs without a normaliser, before the attention is what it says")
      .range(0, 100'000);
  list.add("halve-every", halve_every,
           "epochs after which the learning rate is halved, counted from the end of the linear "
           "start; 0: never")
      .range(0, 100'000);
  list.add("time-noise", time_noise,
           "empty places put between the sentences of a training story, as a share of them: ages "
           "become fuzzy")
      .range(0, 1);
  list.add("supervision", supervision,
           "weight of a loss that teaches each hop its supporting fact, in the order of the file "
           "(strong supervision); 0: none")
      .at_least(0);
  trainer.declare(list);
  draw.declare(list);
}

void MemoryOptions::apply_preset() {
  pipeline::apply_preset(*this, memory_presets());
}

void MemoryOptions::check() const {
  check_run();
  if (train.empty()) throw UsageError("--train: say which files have the training stories");
  if (valid_fraction > 0 && !valid.empty()) {
    throw UsageError("validation data: give --valid or --valid-fraction, not both");
  }
  if (memories == Memories::key_value && tying != models::Tying::adjacent) {
    throw UsageError("--tying {}: key-value memories have one table for all hops; leave it out",
                     models::tying_names()[static_cast<std::size_t>(tying)]);
  }
  if (trainer.max_epochs > 0 && linear_start >= trainer.max_epochs) {
    throw UsageError(
        "--linear-start {}: training ends after {} epochs and the model would never learn with its "
        "attention; raise --max-epochs, or start with fewer",
        linear_start, trainer.max_epochs);
  }
}

models::MemoryNetworkOptions MemoryOptions::to_options(std::int64_t vocabulary,
                                                       const MemorySizes& sizes) const {
  // Noise makes a story older by a share of its sentences at most.
  const auto noisy =
      static_cast<std::int64_t>(std::ceil(static_cast<double>(sizes.slots) * time_noise));
  return {.vocabulary = vocabulary,
          .width = width,
          .hops = static_cast<int>(hops),
          .slots = sizes.slots,
          .words = sizes.words,
          .ages = time_encoding ? sizes.slots + noisy : 0,
          .places = word_places,
          .tying = tying,
          .rectified = relu,
          .key_value = memories == Memories::key_value,
          .attention = attention};
}

std::span<const Preset> memory_presets() {
  return kMemoryPresets;
}

}  // namespace heed::pipeline
