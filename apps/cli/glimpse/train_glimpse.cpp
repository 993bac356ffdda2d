// SPDX-License-Identifier: Apache-2.0
// `heed train glimpse`: images become a network that looks at them in glimpses; run again, it
// resumes.
#include "cli/train_verb.h"
#include "heed/pipeline/glimpse/glimpse_train_options.h"

namespace heed::cli {
namespace {

const ListedVerb kListed(
    {.name = "train glimpse",
     .summary = "Train a network that looks at images in glimpses: RAM, DRAM, the read of DRAW",
     .description =
         "Puts images on fresh canvases, as they are or at uniform places with clutter or several "
         "together; learns where to look by REINFORCE, validates by the policy's means, and leaves "
         "a model folder. The same command resumes where it stopped.",
     .example =
         "heed train glimpse --preset ram --images train-images-idx3-ubyte.gz --labels "
         "train-labels-idx1-ubyte.gz --max-epochs 60 --out digits\n"
         "heed train glimpse --preset ram-canvas --clutter 4 --images train-images-idx3-ubyte.gz "
         "--labels train-labels-idx1-ubyte.gz --max-updates 30000 --out cluttered\n"
         "heed train glimpse --policy random --images photographs --max-epochs 20 --out control",
     .setup = train_action<pipeline::GlimpseTrainOptions>});

}  // namespace
}  // namespace heed::cli
