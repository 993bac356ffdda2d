// SPDX-License-Identifier: Apache-2.0
// Images with labels on disk: a folder with a sub-folder for each label, or a TSV of file and
// label.
#pragma once  // public header

#include <filesystem>
#include <string>
#include <vector>

#include "heed/images/image_bytes.h"
#include "heed/images/image_set.h"

#pragma GCC visibility push(default)  // exported

namespace heed::images {

struct LabelledFile {
  std::filesystem::path file;
  std::string label;
  std::string where;  // for messages: the file itself, or TSV and line
};

// Of a folder by name, its labels' folders by name, too; of a TSV in its order, files found from
// where it lies. DataError for a folder without sub-folders or images, and with file and line for a
// line that is not a file, a tab and a label, and for an image that is missing. Names that begin
// with a dot are passed over.
std::vector<LabelledFile> list_labelled_images(const std::filesystem::path& path);
// The lines of a TSV alone.
std::vector<LabelledFile> parse_image_list(const NamedBytes& file);

// How an image of another shape becomes one of a model: whole and inside, the rest black; or
// stretched, as vision Transformers were often trained (the triangle rule of resize.h, in bytes).
enum class Fitting { inside, stretched };
const std::vector<std::string>& fitting_names();

// What images are made into.
struct ImageForm {
  std::int64_t height = 0;
  std::int64_t width = 0;
  std::int64_t channels = 1;
  Fitting fitting = Fitting::inside;

  bool operator==(const ImageForm&) const = default;
};
// Fewer pixels on a side show nothing.
inline constexpr std::int64_t kLeastSide = 4;
// Resized as its form says, grey or coloured as asked for. DataError that opens with
// `where` for an image with a side below kLeastSide.
Image in_form(const Image& image, const ImageForm& form, const std::string& where);

struct LabelledImages {
  std::filesystem::path path;
  ImageForm form{};                  // without a size: that of the first image
  std::vector<std::string> names{};  // of the labels; without any: all that occur, by name
};
// DataError as above, for an image that cannot be read, for labels that are not among the names,
// and for more than kMostSetPixels together.
ImageSet read_labelled_images(const LabelledImages& wanted);
inline constexpr std::int64_t kMostSetPixels = std::int64_t{1} << 30;

}  // namespace heed::images

#pragma GCC visibility pop
