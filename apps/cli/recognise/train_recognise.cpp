// SPDX-License-Identifier: Apache-2.0
// `heed train recognise`: fresh strips become a model that reads them; run again, it resumes.
#include "cli/train_verb.h"
#include "heed/pipeline/recognise/recognise_options.h"

namespace heed::cli {
namespace {

const ListedVerb kListed(
    {.name = "train recognise",
     .summary = "Train a recogniser of strips: CTC, or a decoder with any attention",
     .description = "Makes fresh strips of symbols, or of written digits side by side, for every "
                    "batch; trains, validates, and leaves a model folder. The same command resumes "
                    "where it stopped.",
     .example =
         "heed train recognise --preset strips-ctc --max-updates 1500 --out symbols\n"
         "heed train recognise --preset strips-monotonic --max-updates 3000 --out monotonic\n"
         "heed train recognise --task digits --images train-images-idx3-ubyte.gz --labels "
         "train-labels-idx1-ubyte.gz --max-updates 2000 --out digits",
     .setup = train_action<pipeline::RecogniseOptions>});

}  // namespace
}  // namespace heed::cli
