// SPDX-License-Identifier: Apache-2.0
// The training itself, in small: a sample of its data, its own setup, a few updates.
#include "heed/pipeline/training_cost.h"

#include <stdlib.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <utility>

#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/text.h"
#include "heed/tensor/peak_memory.h"
#include "heed/text/labelled.h"
#include "heed/training/optimiser.h"

namespace heed::pipeline {
namespace {

namespace fs = std::filesystem;

constexpr int kMostUpdates = 6;         // the first does not count where there are more
constexpr double kEnoughSeconds = 1.5;  // of updates
constexpr std::uint64_t kDocumentRows = 8;

// Removed with all it holds at the end of the scope.
class TriedFolder {
 public:
  TriedFolder() {
    std::string name = (fs::temp_directory_path() / "heed-check-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
      throw DataError("{}: cannot be made; set TMPDIR to a folder that can be written", name);
    }
    path_ = name;
  }
  ~TriedFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TriedFolder(const TriedFolder&) = delete;
  TriedFolder& operator=(const TriedFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::string header_of(const text::LabelledForm& form) {
  std::string row;
  for (const std::string& name : form.names) {
    std::string field = name;
    for (std::size_t at = field.find('"'); form.table.quotes && at != field.npos;
         at = field.find('"', at + 2)) {
      field.insert(at, 1, '"');
    }
    if (!row.empty()) row += form.table.separator;
    row += form.table.quotes ? '"' + field + '"' : field;
  }
  return row + "\n";
}

// The file's name without .gz, so that its ending says the same.
fs::path sample_file(const fs::path& folder, const fs::path& file, std::string_view side) {
  const fs::path plain = lower(file.extension().string()) == ".gz" ? file.stem() : file;
  return folder / (std::string(side) + plain.extension().string());
}

// The sample as files of the same form.
std::vector<std::string> write_sample(const text::PartCheck& part, const fs::path& folder) {
  const text::PairFiles& files = part.part.files;
  const bool two = !files.target.empty();
  const bool tab = !two && files.columns == text::Columns::source_target;
  std::string source = part.part.labelled && part.part.labelled->header
                           ? header_of(*part.part.labelled)
                           : std::string();
  std::string target;
  std::uint64_t rows = 0;
  for (const text::LinePair& row : part.sample) {
    if (files.documents && rows++ % kDocumentRows == 0) {
      source += '\n';
      target += '\n';
    }
    source += tab ? row.source + '\t' + row.target : row.source;
    source += '\n';
    target += row.target + '\n';
  }
  const fs::path first = sample_file(folder, files.source, "source");
  write_atomically(first, source);
  if (!two) return {first.string()};
  const fs::path second = sample_file(folder, files.target, "target");
  write_atomically(second, target);
  return {first.string(), second.string()};
}

std::vector<std::string> sample_texts(const text::PartCheck& part) {
  std::vector<std::string> texts;
  for (const text::LinePair& row : part.sample) {
    if (!part.part.labelled) {
      texts.push_back(row.source);
      continue;
    }
    for (text::LabelledText& one :
         text::labelled_texts(*part.part.labelled, row.source, part.name, row.line)) {
      texts.push_back(std::move(one.text));
    }
  }
  return texts;
}

double seconds_of(const std::function<void()>& run) {
  const auto start = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void try_updates(const KindOptions& options, TrainingSetup& setup, TrainingCost& cost) {
  const training::Task task = setup.task();
  const nn::Parameters parameters = setup.parameters();
  cost.parameters = nn::parameter_count(parameters);
  training::Optimiser optimiser(parameters, options.trainer.method());
  Random noise(options.trainer.seed);
  const auto update = [&] {
    double weight = 0;
    for (std::int64_t i = 0; i < options.trainer.accumulate; ++i) {
      const training::BatchLoss batch = task.next_batch_loss(noise);
      weight += batch.weight;
      backward(batch.loss);
    }
    optimiser.step({.learning_rate = 1e-6, .clip_norm = 1, .gradient_scale = 1 / weight});
  };
  double first = 0;
  double others = 0;
  for (; cost.updates < kMostUpdates && first + others < kEnoughSeconds; ++cost.updates) {
    (cost.updates == 0 ? first : others) += seconds_of(update);
  }
  cost.update_seconds = cost.updates > 1 ? others / (cost.updates - 1) : first;
}

// The same training, whose files all lie in this folder.
std::unique_ptr<KindOptions> options_in(const fs::path& folder, const KindOptions& options) {
  std::unique_ptr<KindOptions> tried = options.kind().options();
  tried->copy_values(options);
  tried->out = (folder / "model").string();
  tried->dry_run = false;
  tried->trainer.reset = false;
  return tried;
}

// Weights and gradients are there for certain: the system counts the pages of small growth only
// roughly, one batch per CPU.
std::int64_t certain_bytes(const TrainingCost& cost) {
  return 2 * cost.parameters * static_cast<std::int64_t>(sizeof(Real));
}

// Of a kind that makes its data itself, as many as anybody asks for: nothing is sampled.
TrainingCost cost_of_made_data(const KindOptions& options) {
  TrainingCost cost;
  const TriedFolder folder;
  const std::unique_ptr<KindOptions> tried = options_in(folder.path(), options);
  cost.memory = peak_growth([&] {
    const std::unique_ptr<TrainingSetup> setup = tried->setup([](std::string_view) {});
    try_updates(*tried, *setup, cost);
    cost.epoch_updates = std::ceil(static_cast<double>(setup->epoch_batches()) /
                                   static_cast<double>(options.trainer.accumulate));
  });
  if (cost.memory) cost.memory = std::max(*cost.memory, certain_bytes(cost));
  return cost;
}

}  // namespace

TrainingCost training_cost(const KindOptions& options, const DataCheck& check) {
  if (check.parts.empty()) return cost_of_made_data(options);
  const text::PartCheck& data = check.parts.front();
  if (!data.problem.empty()) throw DataError("{}", data.problem);
  TrainingCost cost{.tried = data.sample.size()};
  if (data.sample.empty()) throw DataError("{}: no text is short enough to be tried", data.name);
  std::uint64_t texts = 0;  // of all files to learn from, of which the first is tried
  bool whole = true;
  for (const text::PartCheck& part : check.parts) {
    if (part.part.role != data.part.role) continue;
    texts += part.texts;
    whole = whole && part.whole;
  }
  const double rows = static_cast<double>(std::max<std::uint64_t>(texts, cost.tried));
  cost.sampled = !whole || texts > cost.tried;
  const TriedFolder folder;
  const std::unique_ptr<KindOptions> tried = options_in(folder.path(), options);
  tried->take_data(write_sample(data, folder.path()));
  std::uint64_t batches = 0;
  std::uint64_t kept = 0;
  cost.memory = peak_growth([&] {
    const std::unique_ptr<TrainingSetup> setup = tried->setup([](std::string_view) {});
    try_updates(*tried, *setup, cost);
    batches = setup->epoch_batches();
    kept = setup->data_bytes();
    for (const text::Tokeniser* one : setup->tokenisers()) {
      cost.vocabularies.push_back(one->size());
    }
    if (!cost.vocabularies.empty()) {
      for (const std::string& text : sample_texts(data)) {
        cost.tokens.add(setup->tokenisers().front()->encode(text).tokens.size());
      }
    }
  });
  const double times = rows / static_cast<double>(cost.tried);
  if (cost.memory) {
    cost.memory = std::max(*cost.memory, certain_bytes(cost)) +
                  static_cast<std::int64_t>(static_cast<double>(kept) * (times - 1));
  }
  cost.epoch_updates = std::ceil(static_cast<double>(batches) * times /
                                 static_cast<double>(options.trainer.accumulate));
  return cost;
}

std::string TrainingCost::to_string() const {
  std::vector<std::string> sizes;
  for (const std::int64_t size : vocabularies) sizes.push_back(fmt::format("{}", size));
  std::string line = sizes.empty() ? "" : fmt::format("vocabulary {}, ", join(sizes, " + "));
  line += fmt::format("{} parameters", parameters);
  if (memory)
    line += fmt::format(", {} of memory", human_bytes(static_cast<std::uint64_t>(*memory)));
  line += fmt::format(", {} per update, {} update{} ({}) per epoch", human_duration(update_seconds),
                      std::llround(epoch_updates), epoch_updates == 1 ? "" : "s",
                      human_duration(epoch_updates * update_seconds));
  if (sampled) line += fmt::format("; by a sample of {} texts", tried);
  return line;
}

}  // namespace heed::pipeline
