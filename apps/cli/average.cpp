// SPDX-License-Identifier: Apache-2.0
// `heed average`: the mean of checkpoints or models, as a model folder.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "cli/verb.h"
#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/safetensors.h"
#include "heed/pipeline/choices.h"
#include "heed/pipeline/examples.h"
#include "heed/pipeline/model_folder.h"
#include "heed/pipeline/model_kind.h"
#include "heed/training/average.h"
#include "heed/training/checkpoint.h"

namespace heed::cli {
namespace {

struct AverageVerb {
  std::vector<std::string> inputs;
  std::string model;
  std::size_t last = 0;
  std::string out;
  std::string dtype = "F32";
  bool force = false;

  Options list;

  AverageVerb() {
    list.add("model", model, "the model folder they belong to")
        .letter('m')
        .kind("FOLDER")
        .required();
    list.add("last", last, "take the last N checkpoints of the model folder");
    list.add("out", out, "folder of the averaged model").letter('o').kind("FOLDER").required();
    list.add(
            "dtype", dtype,
            "how its weights are stored: F16 and BF16 take half the bytes, rounded to nearest; one "
            "input, or the model's own weights where there is none, is then enough")
        .one_of({"F32", "F16", "BF16"});
    list.add("force", force, "replace a model that is there already");
  }
};

void run(const AverageVerb& verb) {
  if (verb.model.empty()) throw UsageError("--model: say which model folder they belong to");
  if (verb.out.empty()) throw UsageError("--out: say which folder the averaged model goes to");
  std::vector<std::filesystem::path> inputs(verb.inputs.begin(), verb.inputs.end());
  if (verb.last > 0) {
    const auto files =
        training::checkpoint_files(std::filesystem::path(verb.model) / "checkpoints");
    if (files.size() < verb.last) {
      throw UsageError("--last {}: {} has {} checkpoints; train with a larger --keep-last",
                       verb.last, verb.model, files.size());
    }
    for (auto file = files.end() - static_cast<std::ptrdiff_t>(verb.last); file != files.end();
         ++file) {
      inputs.push_back(file->path);
    }
  }
  const pipeline::ModelFolder from{verb.model};
  const bool halves = verb.dtype != "F32";
  if (halves && inputs.empty()) inputs.push_back(from.weights());
  if (inputs.size() < 2 && !halves) {
    throw UsageError("give two or more checkpoints or weight files, or --last N");
  }
  const pipeline::ModelKind& kind = from.kind();
  const pipeline::ModelFolder to{verb.out};
  if (const std::string kept = to.kept_kind(); !kept.empty() && kept != kind.name) {
    throw UsageError(
        "--out {}: the folder holds a model for the task {}, and this is {}; give another",
        verb.out, kept, kind.name);
  }
  std::error_code ignored;
  if (std::filesystem::equivalent(from.path, to.path, ignored)) {
    throw UsageError("--out {}: is the model's own folder, which is read; name another", verb.out);
  }
  for (const std::filesystem::path& input : inputs) {
    if (is_same_file(input, to.weights())) {
      throw UsageError("--out {}: its weights are read here; name another", verb.out);
    }
  }
  if (!verb.force && std::filesystem::exists(to.weights(), ignored)) {
    throw UsageError(
        "--out {}: there is a model already; name another folder, or replace it with "
        "--force",
        verb.out);
  }
  from.check(kind.name);
  make_folder(to.path);
  training::average(inputs, to.weights(), SafetensorsFile(from.weights()).metadata(),
                    halves ? dtype_from_name(verb.dtype) : std::nullopt);
  std::vector<std::filesystem::path> files = {from.config().filename(), from.card().filename(),
                                              pipeline::kExamplesFile};
  // What validation chose belongs to the weights it was chosen for, however they are stored.
  pipeline::write_choices(to.path, {});
  if (inputs.size() == 1 && is_same_file(inputs.front(), from.weights())) {
    files.emplace_back(pipeline::kChoicesFile);
  }
  files.insert(files.end(), kind.files.begin(), kind.files.end());
  files.insert(files.end(), kind.files_of_some.begin(), kind.files_of_some.end());
  for (const std::filesystem::path& file : files) {
    if (std::filesystem::exists(from.path / file)) {
      write_atomically(to.path / file, read_file(from.path / file));
    }
  }
  if (inputs.size() == 1) {
    fmt::print("The weights as {} are in {}.\n", verb.dtype, verb.out);
  } else {
    fmt::print("The mean of {} weight files is in {}.\n", inputs.size(), verb.out);
  }
}

Action set_up(CommandLine& line) {
  auto verb = std::make_shared<AverageVerb>();
  line.add("INPUT", verb->inputs, "checkpoints or model.safetensors files");
  return line.with_options(verb->list, [verb] { run(*verb); });
}

const ListedVerb kListed(
    {.name = "average",
     .summary = "Average the last checkpoints of a training run into one model",
     .description = "",
     .example = "heed average --model model --last 5 --out model-averaged",
     .setup = set_up});

}  // namespace
}  // namespace heed::cli
