// SPDX-License-Identifier: Apache-2.0
// `heed train caption`: pictures and their captions become a model that writes them; run again, it
// resumes.
#include "cli/train_verb.h"
#include "heed/pipeline/caption/caption_options.h"

namespace heed::cli {
namespace {

const ListedVerb kListed(
    {.name = "train caption",
     .summary = "Train a captioner of pictures with any attention over their cells",
     .description = "Convolutions read a picture, and an LSTM writes what is in it, looking at the "
                    "cells before each word. Learns from the built-in scenes, or from a folder of "
                    "pictures with tables. The same command resumes where it stopped.",
     .example =
         "heed train caption --preset scenes-soft --max-updates 3000 --out captions\n"
         "heed train caption --preset scenes-hard --max-updates 6000 --out hard\n"
         "heed train caption --preset scenes-soft --data scenes --max-updates 3000 --out own",
     .setup = train_action<pipeline::CaptionOptions>});

}  // namespace
}  // namespace heed::cli
