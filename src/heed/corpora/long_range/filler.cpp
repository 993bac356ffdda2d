// SPDX-License-Identifier: Apache-2.0
// Sentences of a subject and a verb with parts that may be left out, so that any number of words
// from three on can be made.
#include "heed/corpora/long_range/filler.h"

#include <fmt/format.h>

#include <cctype>

#include "heed/base/error.h"
#include "heed/corpora/choose.h"

namespace heed::corpora {
namespace {

constexpr std::string_view kFillerPeople[] = {"baker",  "sailor", "doctor",  "painter", "farmer",
                                              "singer", "porter", "teacher", "tailor",  "miller"};
constexpr std::string_view kFillerMoods[] = {"tired", "young", "old", "happy", "quiet", "tall"};
constexpr std::string_view kFillerThings[] = {"tram",  "boat", "door",  "cart", "house",
                                              "horse", "wall", "table", "coat", "tower"};
constexpr std::string_view kFillerAlone[] = {"waited", "slept",  "sang",
                                             "left",   "rested", "laughed"};
constexpr std::string_view kFillerToThings[] = {"watched", "painted", "passed",
                                                "sold",    "found",   "liked"};
constexpr std::string_view kFillerManners[] = {"slowly", "again",  "quietly",
                                               "twice",  "gladly", "alone"};
constexpr std::string_view kFillerPlaces[] = {"by the river", "near the mill",  "in the rain",
                                              "on the hill",  "at the station", "under the bridge"};

// Which parts a sentence has beside subject and verb.
struct FillerParts {
  bool mood = false, object = false, colour = false, manner = false, place = false;

  std::int64_t words() const {
    return kShortestFiller + mood + (object ? 2 + colour : 0) + manner + (place ? 3 : 0);
  }
};

FillerParts draw_filler_parts(Random& random) {
  return {.mood = chance(random, .5),
          .object = chance(random, .6),
          .colour = chance(random, .6),
          .manner = chance(random, .3),
          .place = chance(random, .4)};
}

std::string write_filler(Random& random, const FillerParts& parts) {
  constexpr std::string_view kArticles[] = {"the", "one", "this"};
  std::string text{pick(random, kArticles)};
  const auto add = [&text](std::string_view word) { text += fmt::format(" {}", word); };
  if (parts.mood) add(pick(random, kFillerMoods));
  add(pick(random, kFillerPeople));
  add(parts.object ? pick(random, kFillerToThings) : pick(random, kFillerAlone));
  if (parts.object) {
    add("the");
    if (parts.colour) add(pick(random, kColours));
    add(pick(random, kFillerThings));
  }
  if (parts.manner) add(pick(random, kFillerManners));
  if (parts.place) add(pick(random, kFillerPlaces));
  text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text + '.';
}

}  // namespace

std::vector<std::string> draw_filler(Random& random, std::int64_t words) {
  if (words < 0 || (words > 0 && words < kShortestFiller)) {
    throw UsageError("filler: {} words; a sentence takes {} or more", words, kShortestFiller);
  }
  std::vector<std::string> sentences;
  while (words > 0) {
    const FillerParts parts = draw_filler_parts(random);
    const std::int64_t left = words - parts.words();
    if (left < 0 || (left > 0 && left < kShortestFiller)) continue;
    sentences.push_back(write_filler(random, parts));
    words = left;
  }
  return sentences;
}

}  // namespace heed::corpora
