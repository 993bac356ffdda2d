// SPDX-License-Identifier: Apache-2.0
// `heed train masked`: plain text becomes a model that guesses masked words; run again, it resumes.
#include "cli/train_verb.h"
#include "heed/pipeline/masked/masked_options.h"

namespace heed::cli {
namespace {

const ListedVerb kListed(
    {.name = "train masked",
     .summary = "Train a masked language model, for classifiers to start from",
     .description = "Learns a vocabulary, trains, validates, and leaves a model folder. The same "
                    "command resumes where it stopped.",
     .example = "heed train masked --train text.txt --valid-fraction 0.02 --preset tiny "
                "--max-epochs 10 --out words\n"
                "heed train classify --init-from words --train train.tsv --valid valid.tsv "
                "--max-epochs 5 --out model",
     .setup = train_action<pipeline::MaskedOptions>});

}  // namespace
}  // namespace heed::cli
