// SPDX-License-Identifier: Apache-2.0
// The grammar of captions and questions.
#include "heed/corpora/scenes/scene_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <functional>

#include "heed/base/text.h"

namespace heed::corpora {
namespace {

std::string_view shape_word(const SceneObject& object) {
  return kShapeWords[static_cast<std::size_t>(object.shape)];
}
std::string_view colour_word(const SceneObject& object) {
  return kColourWords[static_cast<std::size_t>(object.colour)];
}
std::string_view size_word(const SceneObject& object) {
  return object.large ? "large" : "small";
}

// "left of", "right of", "above" or "below".
std::string_view relation_of(const SceneObject& a, const SceneObject& b) {
  const int across = b.column - a.column, down = b.row - a.row;
  if (std::abs(across) >= std::abs(down)) return across > 0 ? "left of" : "right of";
  return down > 0 ? "above" : "below";
}

std::string_view place_words(const SceneObject& object) {
  static constexpr std::string_view kPlaces[] = {"upper left",  "upper middle", "upper right",
                                                 "middle left", "middle",       "middle right",
                                                 "lower left",  "lower middle", "lower right"};
  return kPlaces[object.row * 3 + object.column];
}

// Words and what they are linked to.
class Caption {
 public:
  explicit Caption(Pictured& to) : to_(to) {}
  void add(std::string_view words, const std::vector<int>& regions = {}) {
    for (const std::string_view word : split(words, ' ')) {
      if (!to_.caption.empty()) to_.caption += ' ';
      to_.caption += word;
      to_.links.push_back(regions);
    }
  }
  void add_object(const SceneObject& object, int number) {
    add("a");
    add(fmt::format("{} {} {}", size_word(object), colour_word(object), shape_word(object)),
        {number});
  }
  void add_place(const SceneObject& object, int number) {
    add("in the");
    add(place_words(object), {number});
  }

 private:
  Pictured& to_;
};

class Questions {
 public:
  Questions(const Scene& scene, Random& random) : scene_(scene), random_(random) {}

  std::vector<PictureQuestion> all() {
    ask_of_attributes();
    ask_for_counts();
    ask_whether();
    ask_for_relations();
    std::ranges::stable_sort(found_, {}, [](const PictureQuestion& question) {
      return std::ranges::find(kQuestionKinds, question.kind) - kQuestionKinds.begin();
    });
    return std::move(found_);
  }

 private:
  using Test = std::function<bool(const SceneObject&)>;

  std::vector<int> those(const Test& test) const {
    std::vector<int> numbers;
    for (std::size_t i = 0; i < scene_.objects.size(); ++i) {
      if (test(scene_.objects[i])) numbers.push_back(static_cast<int>(i));
    }
    return numbers;
  }
  const SceneObject& object(int number) const {
    return scene_.objects[static_cast<std::size_t>(number)];
  }
  // A name without this attribute that only this object answers to; "": none.
  enum class Without { shape, colour, neither };
  std::string name_of(int number, Without without) const {
    const SceneObject& named = object(number);
    const auto is_unique = [&](bool size) {
      return those([&](const SceneObject& other) {
               return (without == Without::shape || other.shape == named.shape) &&
                      (without == Without::colour || other.colour == named.colour) &&
                      (!size || other.large == named.large);
             }).size() == 1;
    };
    for (const bool size : {false, true}) {
      if (!is_unique(size)) continue;
      std::vector<std::string> words;
      if (size) words.emplace_back(size_word(named));
      if (without != Without::colour) words.emplace_back(colour_word(named));
      words.emplace_back(without == Without::shape ? "thing" : shape_word(named));
      return join(words, " ");
    }
    return {};
  }
  void ask(std::string_view kind, std::string question, std::string_view answer,
           std::vector<int> regions) {
    found_.push_back(
        {std::string(kind), std::move(question), std::string(answer), std::move(regions)});
  }

  void ask_of_attributes() {
    static constexpr std::string_view kColumns[] = {"left", "middle", "right"};
    for (int i = 0; i < static_cast<int>(scene_.objects.size()); ++i) {
      const std::string by_shape = name_of(i, Without::colour);
      const std::string by_colour = name_of(i, Without::shape);
      if (!by_shape.empty()) {
        ask("colour", fmt::format("what colour is the {} ?", by_shape), colour_word(object(i)),
            {i});
      }
      if (!by_colour.empty()) {
        ask("shape", fmt::format("what shape is the {} ?", by_colour), shape_word(object(i)), {i});
      }
      for (const std::string& name : {by_shape, by_colour}) {
        if (name.empty()) continue;
        ask("place", fmt::format("which column is the {} in ?", name), kColumns[object(i).column],
            {i});
      }
    }
  }

  void ask_for_counts() {
    static constexpr std::string_view kNumbers[] = {"one", "two", "three"};
    const auto count = [&](std::string_view of, const Test& test) {
      const std::vector<int> numbers = those(test);
      if (numbers.empty() || numbers.size() > std::size(kNumbers)) return;
      ask("count", fmt::format("how many {} are there ?", of), kNumbers[numbers.size() - 1],
          numbers);
    };
    for (std::size_t c = 0; c < kColourWords.size(); ++c) {
      count(fmt::format("{} things", kColourWords[c]),
            [c](const SceneObject& other) { return static_cast<std::size_t>(other.colour) == c; });
    }
    for (std::size_t s = 0; s < kShapeWords.size(); ++s) {
      count(fmt::format("{} things", kShapeWords[s]),
            [s](const SceneObject& other) { return static_cast<std::size_t>(other.shape) == s; });
    }
    for (const bool large : {false, true}) {
      count(large ? "large things" : "small things",
            [large](const SceneObject& other) { return other.large == large; });
    }
  }

  void ask_whether() {
    for (const SceneObject& there : scene_.objects) {
      const auto is_there = [](const SceneObject& like) {
        return [like](const SceneObject& other) {
          return other.shape == like.shape && other.colour == like.colour;
        };
      };
      const auto question = [](const SceneObject& of) {
        return fmt::format("is there a {} {} ?", colour_word(of), shape_word(of));
      };
      ask("exists", question(there), "yes", those(is_there(there)));
      for (const bool other_shape : {false, true}) {
        SceneObject missing = there;
        if (other_shape) {
          missing.shape = static_cast<ObjectShape>(random_.integer(kShapeWords.size()));
        } else {
          missing.colour = static_cast<ObjectColour>(random_.integer(kColourWords.size()));
        }
        if (!those(is_there(missing)).empty() || is_new_pair(missing.colour, missing.shape)) {
          continue;
        }
        ask("exists", question(missing), "no", {});
      }
    }
  }

  // Of each relation that exactly one object has to another with a name of its own.
  void ask_for_relations() {
    for (int to = 0; to < static_cast<int>(scene_.objects.size()); ++to) {
      const std::string name = name_of(to, Without::neither);
      if (name.empty()) continue;
      for (const std::string_view relation : {"left of", "right of", "above", "below"}) {
        std::vector<int> there;
        for (int i = 0; i < static_cast<int>(scene_.objects.size()); ++i) {
          if (i != to && relation_of(object(i), object(to)) == relation) there.push_back(i);
        }
        if (there.size() != 1) continue;
        const int found = there.front();
        ask("relation", fmt::format("what shape is {} the {} ?", relation, name),
            shape_word(object(found)), {found, to});
        ask("relation", fmt::format("what colour is {} the {} ?", relation, name),
            colour_word(object(found)), {found, to});
      }
    }
  }

  const Scene& scene_;
  Random& random_;
  std::vector<PictureQuestion> found_{};
};

}  // namespace

Pictured described(const Scene& scene) {
  Pictured found;
  Caption caption(found);
  for (int i = 0; i < static_cast<int>(scene.objects.size()); ++i) {
    const SceneObject& object = scene.objects[static_cast<std::size_t>(i)];
    const std::vector<bool> mask = mask_of(object);
    found.regions.push_back(
        {fmt::format("{} {} {}", size_word(object), colour_word(object), shape_word(object)),
         box_of(mask, kSceneSide), runs_of(mask)});
    if (i == 1) caption.add(relation_of(scene.objects[0], object), {0, 1});
    if (i > 1) caption.add(", and");
    caption.add_object(object, i);
    if (i > 1 || scene.objects.size() == 1) caption.add_place(object, i);
  }
  return found;
}

std::vector<PictureQuestion> questions_about(const Scene& scene, Random& random) {
  return Questions(scene, random).all();
}

}  // namespace heed::corpora
