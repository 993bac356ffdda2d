// SPDX-License-Identifier: Apache-2.0
// `heed train visual`: questions on pictures become a model that answers them; run again, it
// resumes.
#include "cli/train_verb.h"
#include "heed/pipeline/visual/visual_options.h"

namespace heed::cli {
namespace {

const ListedVerb kListed(
    {.name = "train visual",
     .summary = "Train a model that answers questions on pictures in several looks",
     .description = "A GRU reads the question, each look reads the cells of the picture with any "
                    "attention, and the next one knows what the last has read. Learns from the "
                    "built-in scenes, or from a folder of pictures with tables. The same command "
                    "resumes where it stopped.",
     .example = "heed train visual --preset questions-soft --max-updates 4000 --out questions\n"
                "heed train visual --preset questions-soft --hops 1 --max-updates 4000 --out one\n"
                "heed train visual --preset questions-only --max-updates 2000 --out blind",
     .setup = train_action<pipeline::VisualOptions>});

}  // namespace
}  // namespace heed::cli
