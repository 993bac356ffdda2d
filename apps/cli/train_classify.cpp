// SPDX-License-Identifier: Apache-2.0
// `heed train classify`: labelled texts become a classifier; run again, it goes on.
#include <memory>

#include "cli/train_report.h"
#include "cli/verb.h"
#include "heed/pipeline/classify/train_classify.h"

namespace heed::cli {
namespace {

Action setup(CommandLine& line) {
  auto options = std::make_shared<pipeline::ClassifyOptions>();
  return line.with_options(
      options->list,
      [options] {
        print_report(pipeline::train_classify(*options), options->out, "heed classify --model");
      },
      [options] { options->apply_preset(); });
}

const ListedVerb kListed(
    {.name = "train classify",
     .summary = "Train a classifier on labelled texts, with any attention",
     .description = "Learns labels and vocabulary, trains, validates, and leaves a model folder. "
                    "The same command resumes where it stopped.",
     .example = "heed corpus reviews --out data\n"
                "heed train classify --train data/train.tsv --valid data/valid.tsv --aspects "
                "location cleanliness service --preset lstm-additive --max-epochs 5 --out model\n"
                "heed train classify --train pairs.tsv --second --valid-fraction 0.05 --encoder "
                "transformer --max-minutes 10 --out model",
     .setup = setup});

}  // namespace
}  // namespace heed::cli
