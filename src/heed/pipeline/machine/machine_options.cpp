// SPDX-License-Identifier: Apache-2.0
// Names, limits and help of the options of neural Turing machines.
#include "heed/pipeline/machine/machine_options.h"

#include <algorithm>
#include <array>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/text.h"

namespace heed::pipeline {
namespace {

using corpora::BitForm;
using corpora::BitTask;

constexpr std::int64_t kLongestBits = 10'000;

constexpr std::array<Preset, 9> kMachinePresets = {{
    {"copy", R"(
task = "copy"
slots = 128
width = 20
hidden = 100
batch = 16
learning-rate = 0.001
)"},
    {"copy-lstm", R"(
task = "copy"
model = "lstm"
hidden = 256
layers = 3
batch = 32
learning-rate = 0.001
)"},
    {"copy-dnc", R"(
task = "copy"
addressing = "dnc"
controller = "lstm"
slots = 32
width = 20
hidden = 100
batch = 16
learning-rate = 0.001
)"},
    {"repeat-copy", R"(
task = "repeat-copy"
controller = "lstm"
hidden = 100
batch = 16
learning-rate = 0.001
)"},
    {"recall", R"(
task = "recall"
hidden = 256
read-heads = 4
write-heads = 4
batch = 16
learning-rate = 0.001
)"},
    {"recall-dnc", R"(
task = "recall"
addressing = "dnc"
controller = "lstm"
slots = 32
width = 20
hidden = 100
read-heads = 2
batch = 16
learning-rate = 0.001
)"},
    {"ngrams", R"(
task = "ngrams"
controller = "lstm"
hidden = 100
slots = 64
slots-start = "constant"
batch = 4
learning-rate = 0.001
)"},
    {"ngrams-lstm", R"(
task = "ngrams"
model = "lstm"
hidden = 128
batch = 16
learning-rate = 0.001
)"},
    {"sort", R"(
task = "sort"
controller = "lstm"
hidden = 100
read-heads = 5
write-heads = 5
batch = 16
learning-rate = 0.0003
)"},
}};

void declare_bit_form(BitForm& form, Options& list) {
  list.add("answers", form.task, bit_task_names(), "what the model answers");
  list.add("bits", form.bits, "bits of a vector").range(1, 4096);
  list.add("outputs", form.answers, "bits of an answer").range(1, 4097);
  list.add("shortest", form.shortest, "vectors, items or bits of the shortest it learnt from")
      .at_least(1);
  list.add("longest", form.longest, "of the longest").at_least(1);
  list.add("most-repeats", form.most_repeats, "by which the number of repeats is scaled")
      .range(1, 1000);
}

}  // namespace

const std::vector<std::string>& bit_task_names() {
  static const std::vector<std::string> names = {"copy",   "repeat-copy", "recall",
                                                 "ngrams", "sort",        "given"};
  return names;
}

void write_form(const BitForm& form, const std::filesystem::path& file) {
  BitForm copy = form;
  copy.answers = form.outputs();
  Options list;
  declare_bit_form(copy, list);
  write_atomically(file, list.to_toml());
}

BitForm read_form(const std::filesystem::path& file) {
  BitForm form;
  Options list;
  declare_bit_form(form, list);
  const std::string text = read_file(file);
  try {
    list.read_toml_text(text, file.string());
  } catch (const UsageError& error) {
    throw DataError("{}; the file is damaged or was changed", error.what());
  }
  return form;
}

MachineOptions::MachineOptions() {
  trainer.clip_norm = 10;
  trainer.schedule.decay = training::Decay::constant;
  declare_run(machine_presets());
  list.section("Data");
  list.add("task", task,
           "what to learn: copy, repeat-copy, recall (the item after the one that is shown again), "
           "ngrams (the next bit), sort (by priority), or a file of sequences, vectors with what "
           "is asked for: \"101 010 000/101\" (or gz)")
      .kind("TASK");
  list.add("valid", valid, "validation sequences in the same form; otherwise fresh ones")
      .kind("FILE");
  list.add("bits", bits, "bits of a vector that is made; 0: as Graves 2014 has them")
      .range(0, 1024);
  list.add("shortest", shortest,
           "vectors of the shortest sequence that is made (items of recall, bits of ngrams); 0: as "
           "Graves 2014 has it")
      .range(0, kLongestBits);
  list.add("longest", longest, "of the longest; each batch has sequences of one length")
      .range(0, kLongestBits);
  list.add("most-repeats", most_repeats, "repeat-copy: repeats at most").range(1, 1000);
  list.add("batch", batch, "sequences of a batch").range(1, 100'000);
  list.add("epoch-batches", epoch_batches, "batches of an epoch, where sequences are made")
      .range(1, 1'000'000'000);
  list.add("valid-sequences", valid_sequences,
           "fresh sequences of validation, where no file has them; 0: none")
      .range(0, 1'000'000);
  list.section("Model");
  declare_model(list);
  trainer.declare(list);
}

void MachineOptions::declare_model(Options& options) {
  models::TuringMachineOptions& machine = model.machine;
  options.add("model", model.kind, bit_model_names(),
              "a neural Turing machine, or an LSTM without slots beside it");
  options.add("controller", machine.controller, models::controller_names(),
              "machine: what moves the heads");
  options.add("hidden", machine.hidden, "units of the controller, or of a layer of the LSTM")
      .range(1, 8192);
  options.add("layers", model.layers, "lstm: layers").range(1, 100);
  options.add("slots", machine.slots, "machine: slots").range(1, 100'000);
  options.add("width", machine.width, "machine: width of a slot").range(1, 8192);
  options.add("read-heads", machine.read_heads, "machine: heads that read").range(1, 64);
  options.add("write-heads", machine.write_heads, "machine: heads that write").range(1, 64);
  options.add("slots-start", machine.memory_start, models::memory_start_names(),
              "machine: what slots hold before the first step, random (by the seed, the same for "
              "every sequence) or constant");
  options.add("focus-start", machine.focus_start, models::focus_start_names(),
              "machine: where heads look before the first step");
  options.add("addressing", machine.addressing, models::addressing_names(),
              "machine: how heads come to slots, ntm (by content, and on from where they were) or "
              "dnc (by content, by what is free, and in the order of writing; one head writes)");
  options.add("attention", machine.attention,
              "machine: how heads find slots (dnc: by content), a mechanism in its written form; "
              "empty: the usual one of the addressing");
}

void MachineOptions::apply_preset() {
  pipeline::apply_preset(*this, machine_presets());
}

std::optional<BitTask> MachineOptions::made_task() const {
  const std::vector<std::string>& names = bit_task_names();
  const auto found = std::ranges::find(names, task);
  const auto place = static_cast<BitTask>(found - names.begin());
  if (found == names.end() || place == BitTask::given) return {};
  return place;
}

void MachineOptions::check() const {
  check_run();
  const std::optional<BitTask> made = made_task();
  if (!made && !std::filesystem::exists(task)) {
    std::vector<std::string> names = bit_task_names();
    std::erase(names, "given");
    throw UsageError("--task {}: there is no such task{}, and no such file; there are {}", task,
                     did_you_mean(task, names), join(names, ", "));
  }
  if (!made) return;
  const BitForm wanted = form();
  if (wanted.shortest < corpora::fewest_length(*made)) {
    throw UsageError("--shortest {}: {} takes {} {} or more", wanted.shortest, task,
                     corpora::fewest_length(*made), corpora::length_unit(*made));
  }
  if (wanted.longest < wanted.shortest) {
    throw UsageError("--longest {}: it is below --shortest {}", wanted.longest, wanted.shortest);
  }
  if (made == BitTask::ngrams && wanted.bits != 1) {
    throw UsageError("--bits {}: ngrams are made of single bits; leave it out", bits);
  }
}

BitForm MachineOptions::form() const {
  BitForm form = corpora::usual_form(made_task().value_or(BitTask::copy));
  if (bits > 0) form.bits = bits;
  if (shortest > 0) form.shortest = shortest;
  if (longest > 0) {
    form.longest = longest;
  } else {
    form.longest = std::max(form.longest, form.shortest);
  }
  // One number for a task of one length is that length.
  if (longest > 0 && shortest == 0) form.shortest = std::min(form.shortest, longest);
  form.most_repeats = most_repeats;
  form.answers = form.outputs();
  return form;
}

BitModelOptions MachineOptions::model_for(const BitForm& form) const {
  BitModelOptions made = model;
  made.machine.inputs = form.inputs();
  made.machine.outputs = form.outputs();
  made.machine.memory_seed = trainer.seed;
  return made;
}

bool MachineOptions::validates() const {
  return !valid.empty() || (made_task() && valid_sequences > 0);
}

std::span<const Preset> machine_presets() {
  return kMachinePresets;
}

}  // namespace heed::pipeline
