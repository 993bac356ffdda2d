// SPDX-License-Identifier: Apache-2.0
// Scenes as a corpus: all parts as files.
#include <fmt/format.h>

#include "heed/base/error.h"
#include "heed/corpora/file_corpus.h"
#include "heed/corpora/scenes/picture_files.h"
#include "heed/corpora/scenes/scene_set.h"

namespace heed::corpora {
namespace {

std::string example_scene() {
  const PictureSet set = make_scenes(ScenePart::train, {.size = 3});
  const Pictured& said = set.of.back();
  std::string text = said.caption;
  for (const PictureQuestion& one : said.questions) {
    text += fmt::format("\n{} {}", one.question, one.answer);
  }
  return text;
}

std::string write_scenes(const std::filesystem::path& folder, const CorpusOptions& options,
                         Existing existing) {
  if (options.min_length != 0 || options.max_length != 0) {
    throw UsageError("corpus scenes: captions have the lengths they have");
  }
  const std::int64_t size = options.size == 0 ? 23'000 : options.size;
  if (size < 3) throw UsageError("corpus scenes: {} pictures; it takes at least 3", size);
  const std::int64_t valid = std::max<std::int64_t>(1, size / 23);
  const std::int64_t test = std::max<std::int64_t>(1, 2 * size / 23);
  const std::int64_t sizes[] = {size - valid - test, valid, test, test, test};
  std::string text;
  for (std::size_t i = 0; i < kScenePartNames.size(); ++i) {
    const PictureSet set =
        make_scenes(static_cast<ScenePart>(i), {.seed = options.seed, .size = sizes[i]});
    write_pictures(set, folder, std::string(kScenePartNames[i]), existing);
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", kScenePartNames[i], set.size());
  }
  return text + " pictures as .png, with .captions.tsv, .questions.tsv and .regions.tsv";
}

const ListedFileCorpus kScenes(
    {.name = "scenes",
     .description = "Pictures of coloured shapes with captions, questions and "
                    "the regions they speak of",
     .size = 23'000,
     .units = "pictures",
     .example = example_scene,
     .write = write_scenes});

}  // namespace
}  // namespace heed::corpora
