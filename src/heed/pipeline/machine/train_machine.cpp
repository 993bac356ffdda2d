// SPDX-License-Identifier: Apache-2.0
// From sequences of bits to a machine that answers them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/base/warning.h"
#include "heed/pipeline/examples.h"
#include "heed/pipeline/machine/bit_batches.h"
#include "heed/pipeline/machine/bit_quality.h"
#include "heed/pipeline/starting_weights.h"

namespace heed::pipeline {
namespace {

using corpora::BitForm;
using corpora::BitSequence;
using corpora::BitTask;

constexpr std::size_t kWatched = 4;  // sequences by which heads are judged

class MachineSetup final : public TrainingSetup {
 public:
  MachineSetup(const MachineOptions& options, const Print& print)
      : options_(options),
        batches_(options),
        random_(options.trainer.seed),
        model_(options.model_for(batches_.form()), random_),
        parameters_(nn::parameters(model_)),
        held_out_(validation_sequences(options, batches_.form())) {
    start_from(options, parameters_, print);
    warn_of_few_slots(print);
  }

  nn::Parameters parameters() override { return parameters_; }

  training::Task task() override {
    training::Task task{
        .parameters = {},
        .next_batch_loss = [this](Random& noise) { return next(noise); },
        .position = [this] { return written_place(std::array{batches_.number()}); },
        .seek = [this](const std::string& place) { batches_.seek(place_numbers(place, 1)[0]); },
        .describe_batch = [this] { return fmt::format("number {}", batches_.number()); }};
    if (!held_out_.empty()) {
      task.metrics = {{"loss", training::Better::lower},
                      {"cost", training::Better::lower},
                      {"wrong", training::Better::lower}};
      task.validate = [this] { return validate(); };
    }
    return task;
  }

  CardFacts facts() override {
    const BitForm& form = batches_.form();
    CardFacts facts = {
        {"answers", bit_task_names()[static_cast<std::size_t>(form.task)]},
        {corpora::length_unit(form.task),
         form.shortest == form.longest ? fmt::format("{}", form.longest)
                                       : fmt::format("{} to {}", form.shortest, form.longest)},
        {"model", bit_model_names()[static_cast<std::size_t>(options_.model.kind)]},
        {"parameters", fmt::format("{}", nn::parameter_count(parameters_))}};
    if (const models::TuringMachine* machine = model_.machine()) {
      const models::TuringMachineOptions& sizes = machine->options();
      facts.push_back({"slots", fmt::format("{} of width {}", sizes.slots, sizes.width)});
      facts.push_back(
          {"heads", fmt::format("{} read, {} write", sizes.read_heads, sizes.write_heads)});
    }
    return facts;
  }

  std::string data() const override { return batches_.report(); }
  std::uint64_t epoch_batches() const override { return batches_.epoch_batches(); }
  std::uint64_t data_bytes() const override { return batches_.bytes(); }
  std::int64_t longest() const override { return batches_.form().longest; }
  void save_files(const ModelFolder& folder) const override {
    write_form(batches_.form(), folder.file(kBitFormFile));
  }

  std::vector<std::string> examples() const override {
    const BitForm& form = batches_.form();
    if (form.task == BitTask::given || held_out_.empty()) return {};
    std::vector<std::string> lines;
    for (std::int64_t i = 0; i < 4 * options_.examples; ++i) {
      const std::int64_t length =
          std::min(form.longest,
                   std::max(form.shortest, form.task == BitTask::ngrams ? std::int64_t{60}
                                                                        : std::int64_t{2 + i % 4}));
      std::vector<corpora::BitVector> vectors =
          corpora::draw_vectors({.form = form,
                                 .length = length,
                                 .repeats = std::min<std::int64_t>(2, form.most_repeats),
                                 .seed = options_.trainer.seed + 1},
                                i);
      for (corpora::BitVector& vector : vectors) {
        if (vector.number) vector.number = std::round(*vector.number * 100) / 100;
      }
      lines.push_back(corpora::written_bits(vectors));
    }
    return chosen_examples(lines, static_cast<std::size_t>(options_.examples));
  }

  CardFacts choose(const ModelFolder&, const Print& print) override {
    const models::TuringMachine* machine = model_.machine();
    if (machine == nullptr || held_out_.empty()) return {};
    const std::span<const BitSequence> watched =
        std::span(held_out_).first(std::min(kWatched, held_out_.size()));
    const std::vector<HeadUse> uses = head_uses(*machine, watched, batches_.form());
    for (const std::string& sign : signs_of_collapse(uses, machine->options())) {
      print ? print("warning: " + sign) : warn(sign);
    }
    CardFacts facts;
    for (std::size_t h = 0; h < uses.size(); ++h) {
      const auto reads = static_cast<std::size_t>(machine->options().read_heads);
      facts.push_back({h < reads ? fmt::format("read head {}", h + 1)
                                 : fmt::format("write head {}", h - reads + 1),
                       fmt::format("looks at {:.1f} slots in a step, {:.1f} in a sequence",
                                   uses[h].spread, uses[h].visited)});
    }
    return facts;
  }

 private:
  training::BatchLoss next(Random& noise) {
    const BitBatch batch = batches_.next();
    const BitTensors tensors = tensors_of(batch.sequences, batches_.form());
    return {.loss = bits_loss(model_(Variable(tensors.inputs), {.noise = &noise}), tensors),
            .weight = tensors.bits,
            .words = static_cast<double>(batch.sequences.size()) *
                     static_cast<double>(batch.sequences.front().steps),
            .ends_epoch = batch.ends_epoch};
  }

  training::Metrics validate() const {
    const BitQuality quality = bit_quality(model_, held_out_, batches_.form());
    return {{"loss", quality.nats / std::max(quality.asked, 1.)},
            {"cost", quality.cost()},
            {"wrong", quality.wrong_share()}};
  }

  // A machine may pack two vectors into a slot, so that this is no mistake.
  void warn_of_few_slots(const Print& print) const {
    const BitForm& form = batches_.form();
    if (model_.machine() == nullptr || form.task == BitTask::ngrams ||
        form.task == BitTask::given) {
      return;
    }
    const std::int64_t vectors =
        form.longest * (form.task == BitTask::recall ? corpora::kItemVectors : 1);
    const std::int64_t slots = model_.machine()->options().slots;
    if (slots >= vectors) return;
    const std::string line = fmt::format(
        "--slots {}: the longest sequences have {} vectors, which a machine that writes one to a "
        "slot cannot keep; give {} or more, or a smaller --longest",
        slots, vectors, vectors);
    print ? print("warning: " + line) : warn(line);
  }

  const MachineOptions& options_;
  BitBatches batches_;
  Random random_;
  BitModel model_;
  nn::Parameters parameters_;
  std::vector<BitSequence> held_out_;
};

}  // namespace

std::unique_ptr<TrainingSetup> MachineOptions::setup(const Print& print) const {
  return std::make_unique<MachineSetup>(*this, print);
}

}  // namespace heed::pipeline
