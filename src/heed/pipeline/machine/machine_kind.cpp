// SPDX-License-Identifier: Apache-2.0
// Neural Turing machines, listed among the kinds of models.
#include "heed/base/error.h"
#include "heed/pipeline/held_out.h"
#include "heed/pipeline/machine/machine_runner.h"
#include "heed/pipeline/model_kind.h"
#include "heed/text/lines.h"

namespace heed::pipeline {
namespace {

constexpr const char* kName = "machine";

std::unique_ptr<KindOptions> make_options() {
  return std::make_unique<MachineOptions>();
}

std::vector<std::string> shaping_options() {
  MachineOptions options;
  Options list;
  options.declare_model(list);
  return list.names();
}

std::unique_ptr<Model> open(const std::filesystem::path& folder) {
  return std::make_unique<MachineRunner>(folder);
}

const ListedKind kListed(
    {.name = kName,
     .noun = "neural Turing machine",
     .rank = 9,
     .verb = "heed run",
     .example = "heed run {} --input bits.txt",
     .files = {kBitFormFile},
     .instead_of_scores = "heed run shows what it answers, and heed compare measures it",
     .notes = {.attention = "heads that read and write slots", .output = "a chance for every bit"},
     .presets = machine_presets,
     .options = make_options,
     .shaping_options = shaping_options,
     .open = open});

}  // namespace

const ModelKind& MachineOptions::kind() const {
  return *find_kind(kName);
}

const ModelKind& MachineRunner::kind() const {
  return *find_kind(kName);
}

std::vector<std::string> MachineOptions::data_files() const {
  return {made_task() ? "" : task, valid};
}

std::vector<text::DataPart> MachineOptions::data_parts() const {
  if (made_task()) return {};
  return plain_parts(task, valid);
}

void MachineOptions::take_data(std::span<const std::string> files) {
  if (files.empty() || files.size() > 2) {
    throw UsageError("{} files: a machine learns from one, and a second is for validation",
                     files.size());
  }
  task = files[0];
  valid = files.size() > 1 ? files[1] : "";
}

// Nothing but bits, with something asked for.
double MachineOptions::suits(std::span<const std::string> files) const {
  for (const std::string& file : files) {
    text::LineReader reader(file, text::BadLines::taken);
    std::string line;
    bool asks = false;
    for (int i = 0; i < 50 && reader.next(line); ++i) {
      if (line.find_first_not_of("01/ \t\r") != line.npos) return 0;
      asks = asks || line.find('/') != line.npos;
    }
    if (!asks) return 0;
  }
  return files.empty() || files.size() > 2 ? 0 : 1;
}

nn::Parameters MachineOptions::sketch(Random& random, std::int64_t) const {
  BitModel made(model_for(form()), random);
  return nn::parameters(made);
}

}  // namespace heed::pipeline
