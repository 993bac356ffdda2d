// SPDX-License-Identifier: Apache-2.0
// `heed import`: a model that another program trained becomes a model folder.
#include <fmt/format.h>

#include <memory>

#include "cli/verb.h"
#include "heed/base/progress.h"
#include "heed/pipeline/foreign/import_model.h"
#include "heed/pipeline/model_kind.h"

namespace heed::cli {
namespace {

struct ImportVerb {
  std::string folder, out, task;
  bool second = false;
  Options list;

  ImportVerb() {
    list.add("out", out, "the model folder to make").kind("FOLDER").letter('o').required();
    list.add("task", task,
             "which kind of model it becomes, where a folder can become several; empty: what its "
             "config says");
    list.add("second", second,
             "classifiers: it judges pairs of texts, such as a premise and a hypothesis, which its "
             "config does not say");
  }
};

void run(const ImportVerb& verb) {
  const pipeline::ImportReport report = pipeline::import_model(
      {.from = verb.folder, .to = verb.out, .task = verb.task, .second = verb.second},
      [](std::string_view line) { fmt::print(stderr, "{}\n", line); });
  fmt::print("{}: a {} of the family {}, {} parameters, {} tokens; {} tensors used, {} left out\n",
             verb.out, pipeline::kind_called(report.kind).noun, report.family, report.parameters,
             report.tokens, report.used, report.dropped.size());
  fmt::print("Use it: {}\n", report.use);
}

Action set_up(CommandLine& line) {
  auto verb = std::make_shared<ImportVerb>();
  line.add("FOLDER", verb->folder, "with config.json, weights and vocabulary, as it was published")
      .required();
  return line.with_options(verb->list, [verb] { run(*verb); });
}

const ListedVerb kListed(
    {.name = "import",
     .summary = "Make a model folder of a model that another program trained",
     .description =
         "Reads a folder in the layout of Hugging Face: config.json, weights as safetensors, whole "
         "or in shards, and the vocabulary. Every tensor is used or left out for a reason that is "
         "said; where one is missing, or one too many, nothing is written.",
     .example = "heed import downloads/bert-base-uncased --out models/bert\n"
                "heed fill --model models/bert \"The [MASK] is red.\"",
     .setup = set_up});

}  // namespace
}  // namespace heed::cli
