// SPDX-License-Identifier: Apache-2.0
// `heed pixels`: images as sequences of their pixels, in a table that classifiers of texts read.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/output_files.h"
#include "cli/verb.h"
#include "heed/base/error.h"
#include "heed/images/idx.h"
#include "heed/images/image_folder.h"
#include "heed/images/pixel_rows.h"

namespace heed::cli {
namespace {

struct PixelsVerb {
  std::string images, labels, folder, out;
  std::int64_t side = 0;
  std::int64_t first = 0;
  bool colour = false;
  images::PixelRows rows;
  OutputFiles files;
  Options list;

  PixelsVerb() {
    list.add("images", images, "images of one size, an IDX file (or gz)").kind("FILE");
    list.add("labels", labels, "what they show, an IDX file (or gz)").kind("FILE");
    list.add("folder", folder,
             "instead of --images: PNG, JPEG, PPM or PGM in a folder with a sub-folder for each "
             "label, or a list of them: file, tab, label")
        .kind("PATH");
    list.add("out", out, "the table: label, tab, pixels").letter('o').kind("FILE").required();
    list.add("levels", rows.levels, "how many values a pixel has: 256 as it is, fewer rounded down")
        .range(2, 256);
    list.add("side", side, "of --folder: squares that images are fitted into; 0: as the first")
        .range(0, 1024);
    list.add("colour", colour, "of --folder: three numbers for a pixel instead of a grey one");
    list.add("first", first, "so many images from the beginning; 0: all").at_least(0);
    files.declare(list);
  }

  images::ImageSet read() const {
    if (images.empty() == folder.empty()) {
      throw UsageError("give --images with --labels, two IDX files, or --folder");
    }
    if (!folder.empty()) {
      return images::read_labelled_images(
          {.path = folder, .form = {.height = side, .width = side, .channels = colour ? 3 : 1}});
    }
    if (labels.empty()) throw UsageError("--labels: say which IDX file tells what {} show", images);
    return images::read_idx(images, labels);
  }
};

void run(PixelsVerb& verb) {
  if (verb.out.empty()) throw UsageError("--out: say which file the table goes to");
  verb.files.reads({verb.images, verb.labels, verb.folder});
  verb.files.check(verb.out);
  images::ImageSet set = verb.read();
  if (verb.first > 0) set = set.slice(0, std::min(verb.first, set.size()));
  verb.files.write(verb.out, images::pixel_rows(set, verb.rows));
  fmt::print("{}: {} images of {} labels as {} numbers from 0 to {} each\n", verb.out, set.size(),
             set.names.size(), set.image_bytes(), verb.rows.levels - 1);
}

Action set_up(CommandLine& line) {
  auto verb = std::make_shared<PixelsVerb>();
  return line.with_options(verb->list, [verb] { run(*verb); });
}

const ListedVerb kListed(
    {.name = "pixels",
     .summary = "Write images as sequences of pixels, for classifiers of texts",
     .description =
         "A table with a line for each image: its label, a tab, and its pixels row after "
         "row as numbers. `heed train classify --tokeniser spaced` reads it, with any "
         "encoder and any attention: images as the Long Range Arena has them.",
     .example = "heed corpus pathfinder --out data/pathfinder\n"
                "heed pixels --images data/pathfinder/train-images.idx --labels "
                "data/pathfinder/train-labels.idx --levels 2 --out data/pathfinder/train.tsv\n"
                "heed train classify --train data/pathfinder/train.tsv --tokeniser spaced "
                "--encoder transformer --encoder-attention linear --max-length 1024 --out model",
     .setup = set_up});

}  // namespace
}  // namespace heed::cli
