// SPDX-License-Identifier: Apache-2.0
// `heed train look`: images with labels become a model that tells them apart; run again, it
// resumes.
#include "cli/train_verb.h"
#include "heed/pipeline/look/look_options.h"

namespace heed::cli {
namespace {

const ListedVerb kListed(
    {.name = "train look",
     .summary = "Train a classifier of images that shows where it looks: convolutions or ViT",
     .description = "Reads images with labels: IDX files such as MNIST's, put on fresh canvases "
                    "with clutter if you like, a folder with a sub-folder for each label, or a "
                    "list; trains, validates, and leaves a model folder. The same command resumes "
                    "where it stopped.",
     .example = "heed train look --preset vit-tiny --images train-images-idx3-ubyte.gz --labels "
                "train-labels-idx1-ubyte.gz --max-epochs 10 --out vit\n"
                "heed train look --preset regions --images train-images-idx3-ubyte.gz --labels "
                "train-labels-idx1-ubyte.gz --side 60 --clutter 4 --max-epochs 10 --out regions\n"
                "heed train look --train pets --side 64 --colour --max-epochs 20 --out pets-model",
     .setup = train_action<pipeline::LookOptions>});

}  // namespace
}  // namespace heed::cli
