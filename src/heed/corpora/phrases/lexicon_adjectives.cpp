// SPDX-License-Identifier: Apache-2.0
// The adjectives and their agreement.
#include "heed/base/error.h"
#include "heed/corpora/phrases/lexicon.h"

namespace heed::corpora::phrases {
namespace {

constexpr Kinds kObject = kThing | kClothes;
constexpr std::string_view kNoDegrees = "-";

constexpr Adjective kAdjectives[] = {
    {"big", "grand", "grande", kThing | kAnimal | kPlace | kFood, "bigger", true},
    {"small", "petit", "petite", kAnything | kPlace, "smaller", true},
    {"beautiful", "beau", "belle", kPerson | kAnimal | kObject | kPlace | kText, "", true, "bel"},
    {"old", "vieux", "vieille", kPerson | kAnimal | kObject | kPlace, "older", true, "vieil"},
    {"new", "nouveau", "nouvelle", kObject | kPlace | kText, "", true, "nouvel", true},
    {"young", "jeune", "jeune", kLiving, "younger", true},
    {"good", "bon", "bonne", kFood | kDrink | kText, "better", true, "", true},
    {"bad", "mauvais", "mauvaise", kFood | kDrink | kText, "worse", true, "", true},
    {"pretty", "joli", "jolie", kObject | kPlace, "prettier", true},

    {"red", "rouge", "rouge", kObject, kNoDegrees},
    {"green", "vert", "verte", kObject, kNoDegrees},
    {"blue", "bleu", "bleue", kObject, kNoDegrees},
    {"black", "noir", "noire", kObject | kAnimal, kNoDegrees},
    {"white", "blanc", "blanche", kObject | kAnimal, kNoDegrees},
    {"yellow", "jaune", "jaune", kObject, kNoDegrees},
    {"grey", "gris", "grise", kObject | kAnimal, kNoDegrees},
    {"heavy", "lourd", "lourde", kThing, "heavier"},
    {"expensive", "cher", "chère", kObject | kFood},
    {"dangerous", "dangereux", "dangereuse", kAnimal},
    {"famous", "célèbre", "célèbre", kPerson | kText | kPlace},
    {"tired", "fatigué", "fatiguée", kLiving},
    {"happy", "heureux", "heureuse", kPerson, "happier"},
    {"sad", "triste", "triste", kPerson | kText, "sadder"},
    {"rich", "riche", "riche", kPerson, "richer"},
    {"strong", "fort", "forte", kLiving, "stronger"},
    {"sick", "malade", "malade", kLiving, kNoDegrees},
    {"kind", "gentil", "gentille", kPerson, "kinder"},
    {"proud", "fier", "fière", kPerson, kNoDegrees},
    {"French", "français", "française", kPerson | kFood | kDrink | kText, "", false, "", true},
    {"English", "anglais", "anglaise", kPerson | kText, "", false, "", true},
    {"empty", "vide", "vide", kContainer, kNoDegrees},
    {"broken", "cassé", "cassée", kThing, kNoDegrees},
    {"clean", "propre", "propre", kObject, "cleaner"},
    {"dirty", "sale", "sale", kObject, "dirtier"},
    {"strange", "étrange", "étrange", kAnything | kPlace, "stranger"},
    {"interesting", "intéressant", "intéressante", kText},
    {"hot", "chaud", "chaude", kFood | kDrink, "hotter"},
    {"cold", "froid", "froide", kFood | kDrink, "colder"},
    {"wooden", "en bois", "en bois", kWooden, "", false, "", true},
};

}  // namespace

std::string Adjective::french_form(Gender gender, Number number) const {
  const std::string_view form = gender == Gender::feminine ? feminine : masculine;
  const bool fixed = form.find(' ') != std::string_view::npos;  // "en bois"
  return number == Number::singular || fixed ? std::string(form) : french_plural(form);
}

std::span<const Adjective> adjectives() {
  return kAdjectives;
}

const Adjective& adjective(std::string_view english) {
  for (const Adjective& entry : kAdjectives) {
    if (entry.english == english) return entry;
  }
  throw InternalError("phrases: no adjective \"{}\"", english);
}

}  // namespace heed::corpora::phrases
