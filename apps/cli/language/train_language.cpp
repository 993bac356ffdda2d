// SPDX-License-Identifier: Apache-2.0
// `heed train language`: a text becomes a model that continues it; run again, it resumes.
#include "cli/train_verb.h"
#include "heed/pipeline/language/language_options.h"

namespace heed::cli {
namespace {

const ListedVerb kListed(
    {.name = "train language",
     .summary = "Train a language model on a text: RNN, LSTM, GRU or Transformer",
     .description = "Learns a vocabulary, trains on windows of the text, validates, and leaves a "
                    "model folder. The same command resumes where it stopped.",
     .example = "heed train language --train tales.txt --valid-fraction 0.1 --preset gpt-tiny "
                "--out model\n"
                "heed train language --train train.txt --valid valid.txt --preset lstm-small "
                "--attention additive --out model",
     .setup = train_action<pipeline::LanguageOptions>});

}  // namespace
}  // namespace heed::cli
