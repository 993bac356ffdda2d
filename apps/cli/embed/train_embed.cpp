// SPDX-License-Identifier: Apache-2.0
// `heed train embed`: pairs of texts become a model of sentence embeddings; run again, it resumes.
#include "cli/train_verb.h"
#include "heed/pipeline/embed/embed_options.h"

namespace heed::cli {
namespace {

const ListedVerb kListed(
    {.name = "train embed",
     .summary = "Train a model of sentence embeddings on pairs of texts",
     .description = "Learns a vector for each text, so that texts that belong together lie side by "
                    "side. The same command resumes where it stopped.",
     .example = "heed train embed --train pairs.tsv --valid-fraction 0.1 --preset bag "
                "--max-epochs 10 --out vectors\n"
                "heed embed --model vectors < texts.txt",
     .setup = train_action<pipeline::EmbedOptions>});

}  // namespace
}  // namespace heed::cli
