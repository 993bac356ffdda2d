// SPDX-License-Identifier: Apache-2.0
// Pictures with captions, questions and regions as files that anybody can write. A part PART of a
// folder has
//
//   PART/00001.png          the pictures
//   PART.captions.tsv       picture, caption, links: of each word the numbers of its regions with
//                           commas between them, or -, spaces between words; may be left out
//   PART.questions.tsv      picture, kind, question, answer, regions: their numbers, or -
//   PART.regions.tsv        picture, name, box "left top right bottom", mask "begin-end ...": runs
//                           of pixels, numbered row after row; in the order of their numbers
//
// with tabs between the fields. Pictures are of any format that Heed reads; their names are looked
// for from the folder PART. Of the tables that of captions or that of questions must be there.
#pragma once  // public header

#include <filesystem>
#include <string>
#include <vector>

#include "heed/corpora/corpus_files.h"
#include "heed/corpora/scenes/pictured.h"
#include "heed/images/image_bytes.h"
#include "heed/images/image_folder.h"

#pragma GCC visibility push(default)  // exported

namespace heed::corpora {

// What the tables say of one picture.
struct NamedPicture {
  std::string file{};
  std::string where{};  // the table and line that names it first
  Pictured said{};
};

// Tables without bytes are not there. In the order in which pictures occur first.
struct PictureTables {
  images::NamedBytes captions{};
  images::NamedBytes questions{};
  images::NamedBytes regions{};
};
// DataError with file and line for fields that are missing or too many, for a second caption, for
// links that are not one to each word, for numbers of regions that are not there, and for boxes and
// runs that are empty, overlap or lie beyond the largest picture there may be.
std::vector<NamedPicture> parse_picture_tables(const PictureTables& tables);

// The tables of a set, its pictures named as write_pictures names them.
struct PictureTexts {
  std::string captions{};
  std::string questions{};
  std::string regions{};
};
PictureTexts picture_texts(const PictureSet& set);

// Pictures of this form; without a size: that of the first. DataError as above, for pictures that
// are missing or cannot be read, and for regions beyond their picture or of one that would have to
// be resized.
PictureSet read_pictures(const std::filesystem::path& folder, const std::string& part,
                         const images::ImageForm& form = {.channels = 3});

// UsageError, and nothing is written, where a table is there already and holds something else,
// unless these shall be replaced.
void write_pictures(const PictureSet& set, const std::filesystem::path& folder,
                    const std::string& part, Existing existing);

}  // namespace heed::corpora

#pragma GCC visibility pop
