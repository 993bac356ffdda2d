// SPDX-License-Identifier: Apache-2.0
// A search told in sentences that can be left out or said in several ways.
#include "heed/corpora/stories.h"

#include <fmt/format.h>

#include <string_view>

#include "heed/base/text.h"
#include "heed/corpora/choose.h"
#include "heed/corpora/listed_corpus.h"

namespace heed::corpora {
namespace {

constexpr std::string_view kCallings[] = {"baker",  "sailor", "miller",   "shepherd",
                                          "tailor", "fisher", "gardener", "painter"};
constexpr std::string_view kThings[] = {"silver key", "old map",    "red kite",   "small drum",
                                        "wooden cup", "warm scarf", "glass bead", "brass bell"};
constexpr std::string_view kPlaces[] = {"by the river",  "under the oak", "in the cellar",
                                        "on the hill",   "at the mill",   "behind the church",
                                        "near the gate", "in the barn"};
constexpr std::string_view kTimes[] = {"One morning", "Last winter",   "One evening",
                                       "Long ago",    "In the spring", "After the harvest"};
constexpr std::string_view kMoods[] = {"glad", "tired", "brave", "quiet", "curious", "sad"};

}  // namespace

Example draw_story(Random& random, Part part) {
  const std::string seeker = make_name(random, part);
  std::string helper = make_name(random, part);
  while (helper == seeker) helper = make_name(random, part);
  const std::string_view calling = pick(random, kCallings), thing = pick(random, kThings);
  const std::string_view lost = pick(random, kPlaces);
  std::string_view found = pick(random, kPlaces);
  while (found == lost) found = pick(random, kPlaces);
  std::vector<std::string> told;
  const auto tell = [&](std::string sentence) { told.push_back(std::move(sentence)); };
  const auto maybe = [&](std::string sentence) {
    if (chance(random, 0.5)) told.push_back(std::move(sentence));
  };
  tell(fmt::format("{} the {} {} lost a {} {}.", pick(random, kTimes), calling, seeker, thing,
                   lost));
  maybe(fmt::format("{} was {} all day.", seeker, pick(random, kMoods)));
  tell(fmt::format("\"Have you seen my {}?\" {} asked {}.", thing, seeker, helper));
  maybe(fmt::format("{} had not seen the {}.", helper, thing));
  maybe(fmt::format("So {} and {} looked for it {}.", seeker, helper, lost));
  maybe(fmt::format("There was no {} there, and {} sat down.", thing, seeker));
  tell(fmt::format("At last {} found the {} {}.", helper, thing, found));
  if (chance(random, 0.5)) {
    tell(fmt::format("{} thanked {} and kept the {} safe.", seeker, helper, thing));
  } else {
    tell(fmt::format("{} gave {} a new {} in return.", seeker, helper, pick(random, kThings)));
  }
  tell(fmt::format("From that day on {} and {} were friends.", helper, seeker));
  return {.source = join(told, " ")};
}

namespace {

const ListedCorpus kStories({.name = "stories",
                             .description = "Little stories in which names recur",
                             .kind = CorpusKind::text,
                             .size = 4'000,
                             .units = "stories"},
                            [](Random& random, const CorpusDraw& draw) {
                              return draw_story(random, draw.part);
                            });

}  // namespace
}  // namespace heed::corpora
