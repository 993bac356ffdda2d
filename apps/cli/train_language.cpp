// SPDX-License-Identifier: Apache-2.0
// `heed train language`: a text becomes a model that continues it; run again, it goes on.
#include <memory>

#include "cli/train_report.h"
#include "cli/verb.h"
#include "heed/pipeline/language/train_language.h"

namespace heed::cli {
namespace {

void run(const pipeline::LanguageOptions& options) {
  print_report(pipeline::train_language(options), options.out, "heed generate --model");
}

Action setup(CommandLine& line) {
  auto options = std::make_shared<pipeline::LanguageOptions>();
  return line.with_options(
      options->list, [options] { run(*options); }, [options] { options->apply_preset(); });
}

const ListedVerb kListed(
    {.name = "train language",
     .summary = "Train a language model on a text: RNN, LSTM, GRU or Transformer",
     .description = "Learns a vocabulary, trains on windows of the text, validates, and leaves a "
                    "model folder. The same command resumes where it stopped.",
     .example = "heed train language --train tales.txt --valid-fraction 0.1 --preset gpt-tiny "
                "--out model\n"
                "heed train language --train train.txt --valid valid.txt --preset lstm-small "
                "--attention additive --out model",
     .setup = setup});

}  // namespace
}  // namespace heed::cli
