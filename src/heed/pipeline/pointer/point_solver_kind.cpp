// SPDX-License-Identifier: Apache-2.0
// Pointer networks, listed among the kinds of models.
#include "heed/base/error.h"
#include "heed/pipeline/held_out.h"
#include "heed/pipeline/model_kind.h"
#include "heed/pipeline/pointer/point_solver.h"
#include "heed/pipeline/pointer/pointer_options.h"
#include "heed/text/lines.h"

namespace heed::pipeline {
namespace {

constexpr const char* kName = "pointer";

std::unique_ptr<KindOptions> make_options() {
  return std::make_unique<PointerOptions>();
}

std::vector<std::string> shaping_options() {
  PointerOptions options;
  Options list;
  options.declare_model(list);
  return list.names();
}

std::unique_ptr<Model> open(const std::filesystem::path& folder) {
  return std::make_unique<PointSolver>(folder);
}

const ListedKind kListed(
    {.name = kName,
     .noun = "pointer network",
     .rank = 8,
     .verb = "heed point",
     .example = "heed point {} --input points.csv",
     .files = {kPointFormFile},
     .instead_of_scores = "heed point points with it, and heed compare measures it",
     .notes = {.attention = "the attention that points", .output = "a score for every point"},
     .presets = pointer_presets,
     .options = make_options,
     .shaping_options = shaping_options,
     .open = open});

}  // namespace

const ModelKind& PointerOptions::kind() const {
  return *find_kind(kName);
}

const ModelKind& PointSolver::kind() const {
  return *find_kind(kName);
}

std::vector<std::string> PointerOptions::data_files() const {
  return {made_task() ? "" : task, valid};
}

std::vector<text::DataPart> PointerOptions::data_parts() const {
  if (made_task()) return {};
  return plain_parts(task, valid);
}

void PointerOptions::take_data(std::span<const std::string> files) {
  if (files.empty() || files.size() > 2) {
    throw UsageError("{} files: a pointer network learns from one, and a second is for validation",
                     files.size());
  }
  task = files[0];
  valid = files.size() > 1 ? files[1] : "";
}

// A line with answers is like no other.
double PointerOptions::suits(std::span<const std::string> files) const {
  for (const std::string& file : files) {
    text::LineReader reader(file, text::BadLines::taken);
    std::string line;
    if (!reader.next(line) || line.find(" output ") == line.npos ||
        line.find_first_not_of("0123456789.-+e ,outp") != line.npos) {
      return 0;
    }
  }
  return files.empty() || files.size() > 2 ? 0 : 1;
}

nn::Parameters PointerOptions::sketch(Random& random, std::int64_t) const {
  const auto made = models::make_point_model(model_for(form()), random);
  return nn::parameters(*made);
}

}  // namespace heed::pipeline
