// SPDX-License-Identifier: Apache-2.0
// `heed train translate`: two text files become a translator; run again, it
// resumes.
#include "cli/train_verb.h"
#include "heed/pipeline/translate/translation_options.h"

namespace heed::cli {
namespace {

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
                          .setup = train_action<pipeline::TranslationOptions>});

}  // namespace
}  // namespace heed::cli
