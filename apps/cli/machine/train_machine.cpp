// SPDX-License-Identifier: Apache-2.0
// `heed train machine`: sequences of bits become a machine that answers them; run again, it
// resumes.
#include "cli/train_verb.h"
#include "heed/pipeline/machine/machine_options.h"

namespace heed::cli {
namespace {

const ListedVerb kListed(
    {.name = "train machine",
     .summary = "Train a neural Turing machine: copy, recall, sort, predict bits",
     .description = "Makes fresh sequences of bits for every batch, or reads them with what they "
                    "ask for from a file; trains, validates, and leaves a model folder. The same "
                    "command resumes where it stopped.",
     .example = "heed train machine --preset copy --max-updates 2000 --out copy\n"
                "heed train machine --preset copy-lstm --max-updates 2000 --out lstm\n"
                "heed train machine --task bits.txt --valid more.txt --max-epochs 10 --out model",
     .setup = train_action<pipeline::MachineOptions>});

}  // namespace
}  // namespace heed::cli
