// SPDX-License-Identifier: Apache-2.0
// `heed train classify`: labelled texts become a classifier; run again, it resumes.
#include "cli/train_verb.h"
#include "heed/pipeline/classify/classify_options.h"

namespace heed::cli {
namespace {

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
     .setup = train_action<pipeline::ClassifyOptions>});

}  // namespace
}  // namespace heed::cli
