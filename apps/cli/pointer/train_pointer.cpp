// SPDX-License-Identifier: Apache-2.0
// `heed train pointer`: sets of points become a model that points at them; run again, it resumes.
#include "cli/train_verb.h"
#include "heed/pipeline/pointer/pointer_options.h"

namespace heed::cli {
namespace {

const ListedVerb kListed(
    {.name = "train pointer",
     .summary = "Train a pointer network: convex hulls, shortest tours, sorting",
     .description = "Makes fresh sets of points for every batch, or reads them with their answers "
                    "from a file; trains, validates, and leaves a model folder. The same command "
                    "resumes where it stopped.",
     .example = "heed train pointer --preset hull --max-updates 10000 --out hulls\n"
                "heed train pointer --preset tour-reinforce --max-updates 5000 --out tours\n"
                "heed train pointer --task sets.txt --valid more.txt --max-epochs 10 --out model",
     .setup = train_action<pipeline::PointerOptions>});

}  // namespace
}  // namespace heed::cli
