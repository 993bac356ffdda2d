// SPDX-License-Identifier: Apache-2.0
// Ten pictures of 8 by 8, so that a memory can be tried anywhere. A few of them are as unlike as
// random bits; all ten together resemble each other too much for a classical memory.
#include "heed/corpora/patterns/pattern_text.h"

namespace heed::corpora {
namespace {

constexpr std::string_view kPictures =
    "heart:\n.##..##.\n########\n########\n########\n.######.\n..####..\n...##...\n........\n\n"
    "cross:\n##....##\n###..###\n.######.\n..####..\n..####..\n.######.\n###..###\n##....##\n\n"
    "stripes:\n########\n........\n########\n........\n########\n........\n########\n........\n\n"
    "columns:\n##..##..\n##..##..\n##..##..\n##..##..\n##..##..\n##..##..\n##..##..\n##..##..\n\n"
    "ring:\n..####..\n.######.\n##....##\n##....##\n##....##\n##....##\n.######.\n..####..\n\n"
    "stairs:\n##......\n##......\n####....\n####....\n######..\n######..\n########\n########\n\n"
    "arrow:\n...##...\n..####..\n.######.\n########\n...##...\n...##...\n...##...\n...##...\n\n"
    "board:\n##..##..\n##..##..\n..##..##\n..##..##\n##..##..\n##..##..\n..##..##\n..##..##\n\n"
    "house:\n...##...\n..####..\n.######.\n########\n##....##\n##.##.##\n##.##.##\n##.##.##\n\n"
    "wave:\n##......\n.##...##\n..##.##.\n...###..\n##......\n.##...##\n..##.##.\n...###..\n";

}  // namespace

const std::vector<PicturePattern>& built_in_patterns() {
  static const std::vector<PicturePattern> pictures = parse_patterns(kPictures, "built in");
  return pictures;
}

}  // namespace heed::corpora
