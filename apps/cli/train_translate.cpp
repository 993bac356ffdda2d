// SPDX-License-Identifier: Apache-2.0
// `heed train translate`: two text files become a translator; run again, it
// goes on.
#include <memory>

#include "cli/train_report.h"
#include "cli/verb.h"
#include "heed/pipeline/translate/train_translation.h"

namespace heed::cli {
namespace {

void run(const pipeline::TranslationOptions& options) {
  print_report(pipeline::train_translation(options), options.out, "heed translate --model");
}

Action setup(CommandLine& line) {
  auto options = std::make_shared<pipeline::TranslationOptions>();
  return line.with_options(
      options->list, [options] { run(*options); }, [options] { options->apply_preset(); });
}

const ListedVerb kListed({.name = "train translate",
                          .summary = "Train a translator on two text files, with any attention",
                          .description = "Learns vocabularies, trains, validates, and leaves a "
                                         "model folder. The same command resumes where it stopped.",
                          .example = "heed corpus phrases --out data\n"
                                     "heed train translate --train-source data/train.en "
                                     "--train-target data/train.fr "
                                     "--valid-source data/valid.en --valid-target data/valid.fr "
                                     "--preset rnn-additive "
                                     "--max-epochs 5 --out model\n"
                                     "heed train translate --train pairs.tsv --valid-fraction 0.02 "
                                     "--preset transformer-small "
                                     "--attention \"scaled_dot | full | entmax(alpha=1.5)\" "
                                     "--max-minutes 30 --out model",
                          .setup = setup});

}  // namespace
}  // namespace heed::cli
