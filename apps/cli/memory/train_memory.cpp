// SPDX-License-Identifier: Apache-2.0
// `heed train memory`: stories with questions become a memory network; run again, it resumes.
#include "cli/train_verb.h"
#include "heed/pipeline/memory/memory_options.h"

namespace heed::cli {
namespace {

const ListedVerb kListed(
    {.name = "train memory",
     .summary = "Train a memory network, which answers questions on stories",
     .description = "Reads stories with questions as the bAbI tasks write them, trains, validates, "
                    "and leaves a model folder. The same command resumes where it stopped.",
     .example = "heed corpus facts-two --out data/facts-two\n"
                "heed train memory --train data/facts-two/train.txt --preset task --out model\n"
                "heed ask model --data data/facts-two/test.txt",
     .setup = train_action<pipeline::MemoryOptions>});

}  // namespace
}  // namespace heed::cli
