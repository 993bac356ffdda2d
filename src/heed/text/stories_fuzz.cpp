// SPDX-License-Identifier: Apache-2.0
// Fuzz target of stories with questions.
#include "heed/text/stories.h"

#include "heed/base/fuzzing.h"

namespace heed::test {
namespace {

bool read_story_file(std::string_view bytes) {
  static MemoryFile file;
  file.hold(bytes);
  return accepted([&] {
    for (const text::Story& story : text::read_stories(file.path())) {
      for (const text::StoryQuestion& question : story.questions) {
        require(!question.text.empty() && !question.answer.empty(), "half a question");
        require(question.sentences <= story.sentences.size(), "a question after its story");
        for (const int place : question.support) {
          require(place >= 0 && static_cast<std::size_t>(place) < question.sentences,
                  "a supporting fact that is no sentence before the question");
        }
        text::plain_words(question.text);
      }
      for (const text::StorySentence& sentence : story.sentences) {
        require(!sentence.text.empty(), "an empty sentence");
        text::plain_words(text::key_and_value(sentence.text).key);
      }
    }
  });
}

const FuzzTarget kStories("stories", read_story_file);

}  // namespace
}  // namespace heed::test
