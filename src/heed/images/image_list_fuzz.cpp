// SPDX-License-Identifier: Apache-2.0
// Fuzz target of lists of images.
#include "heed/base/fuzzing.h"
#include "heed/images/image_folder.h"

namespace heed::test {
namespace {

bool read_image_list(std::string_view bytes) {
  return accepted([&] {
    for (const images::LabelledFile& file : images::parse_image_list({bytes, "list"})) {
      require(!file.label.empty() && !file.file.empty(), "a line without a file or label");
    }
  });
}
const FuzzTarget kImageList("image_list", read_image_list);

}  // namespace
}  // namespace heed::test
