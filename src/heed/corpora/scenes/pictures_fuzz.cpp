// SPDX-License-Identifier: Apache-2.0
// Fuzz target of tables of captions, questions and regions: one after the other, lines of "====="
// between them.
#include "heed/base/fuzzing.h"
#include "heed/base/text.h"
#include "heed/corpora/scenes/picture_files.h"

namespace heed::test {
namespace {

bool read_picture_tables(std::string_view bytes) {
  std::string_view tables[3];
  for (std::string_view& table : tables) {
    const std::size_t end = bytes.find("=====\n");
    table = bytes.substr(0, end);
    bytes.remove_prefix(end == bytes.npos ? bytes.size() : end + 6);
  }
  return accepted([&] {
    const auto pictures = corpora::parse_picture_tables(
        {{tables[0], "captions"}, {tables[1], "questions"}, {tables[2], "regions"}});
    for (const corpora::NamedPicture& picture : pictures) {
      require(!picture.file.empty(), "a picture without a name");
      const auto known = [&](const std::vector<int>& numbers) {
        for (const int number : numbers) {
          require(number >= 0 && number < std::ssize(picture.said.regions), "an unknown region");
        }
      };
      for (const std::vector<int>& link : picture.said.links) known(link);
      for (const corpora::PictureQuestion& one : picture.said.questions) known(one.regions);
      for (const corpora::Region& region : picture.said.regions) {
        require(region.box.area() > 0 && region.area() >= 0, "an empty box");
      }
    }
  });
}

const FuzzTarget kPictures("pictures", read_picture_tables);

}  // namespace
}  // namespace heed::test
