// SPDX-License-Identifier: Apache-2.0
// The nouns and their plurals.
#include "heed/base/error.h"
#include "heed/corpora/phrases/lexicon.h"

namespace heed::corpora::phrases {
namespace {

constexpr Gender kM = Gender::masculine;
constexpr Gender kF = Gender::feminine;
constexpr std::string_view kNoPlural = "-";

constexpr Noun kNouns[] = {
    {"man", "homme", kM, kPerson, "men"},
    {"woman", "femme", kF, kPerson, "women"},
    {"boy", "garçon", kM, kPerson},
    {"girl", "fille", kF, kPerson},
    {"child", "enfant", kM, kPerson, "children"},
    {"king", "roi", kM, kPerson},
    {"queen", "reine", kF, kPerson},
    {"doctor", "médecin", kM, kPerson},
    {"friend", "ami", kM, kPerson},
    {"neighbour", "voisin", kM, kPerson},
    {"farmer", "fermier", kM, kPerson},
    {"uncle", "oncle", kM, kPerson},
    {"aunt", "tante", kF, kPerson},
    {"brother", "frère", kM, kPerson},
    {"sister", "sœur", kF, kPerson},
    {"grandmother", "grand-mère", kF, kPerson, "", "grands-mères"},
    {"grandfather", "grand-père", kM, kPerson, "", "grands-pères"},
    {"lawyer", "avocat", kM, kPerson},
    {"student", "étudiant", kM, kPerson},
    {"actress", "actrice", kF, kPerson},
    {"hero", "héros", kM, kPerson, "heroes"},
    {"princess", "princesse", kF, kPerson},
    {"teacher", "professeur", kM, kPerson},

    {"dog", "chien", kM, kAnimal},
    {"cat", "chat", kM, kAnimal},
    {"horse", "cheval", kM, kAnimal, "", "chevaux"},
    {"bird", "oiseau", kM, kAnimal | kPool},
    {"cow", "vache", kF, kAnimal},
    {"owl", "hibou", kM, kAnimal | kPool, "", "hiboux"},
    {"mouse", "souris", kF, kAnimal, "mice"},
    {"rabbit", "lapin", kM, kAnimal},
    {"bear", "ours", kM, kAnimal},
    {"wolf", "loup", kM, kAnimal, "wolves"},
    {"spider", "araignée", kF, kAnimal},

    {"apple", "pomme", kF, kFood},
    {"potato", "pomme de terre", kF, kFood, "potatoes", "pommes de terre"},
    {"orange", "orange", kF, kFood},
    {"egg", "œuf", kM, kFood},
    {"cake", "gâteau", kM, kFood},
    {"tomato", "tomate", kF, kFood, "tomatoes"},
    {"bean", "haricot", kM, kFood},
    {"strawberry", "fraise", kF, kFood},
    {"mushroom", "champignon", kM, kFood},
    {"pear", "poire", kF, kFood},
    {"bread", "pain", kM, kFood, kNoPlural},
    {"cheese", "fromage", kM, kFood, kNoPlural},
    {"meat", "viande", kF, kFood, kNoPlural},
    {"rice", "riz", kM, kFood, kNoPlural},
    {"ice cream", "glace", kF, kFood, kNoPlural},
    {"soup", "soupe", kF, kFood, kNoPlural},
    {"water", "eau", kF, kDrink, kNoPlural},
    {"milk", "lait", kM, kDrink, kNoPlural},
    {"coffee", "café", kM, kDrink, kNoPlural},
    {"tea", "thé", kM, kDrink, kNoPlural},
    {"wine", "vin", kM, kDrink, kNoPlural},
    {"orange juice", "jus d'orange", kM, kDrink, kNoPlural},

    {"book", "livre", kM, kText},
    {"letter", "lettre", kF, kText | kOpens},
    {"newspaper", "journal", kM, kText, "", "journaux"},
    {"poem", "poème", kM, kText},
    {"story", "histoire", kF, kText},
    {"message", "message", kM, kText},

    {"key", "clé", kF, kThing},
    {"table", "table", kF, kThing | kSurface | kShelter | kWooden | kLandmark},
    {"chair", "chaise", kF, kThing | kSurface | kShelter | kWooden},
    {"bed", "lit", kM, kThing | kSurface | kShelter | kWooden | kLandmark},
    {"lamp", "lampe", kF, kThing},
    {"knife", "couteau", kM, kThing, "knives"},
    {"umbrella", "parapluie", kM, kThing | kOpens},
    {"bicycle", "vélo", kM, kThing},
    {"car", "voiture", kF, kThing | kLandmark},
    {"boat", "bateau", kM, kThing | kWooden | kBuilt},
    {"watch", "montre", kF, kThing},
    {"mirror", "miroir", kM, kThing},
    {"basket", "panier", kM, kThing | kContainer},
    {"box", "boîte", kF, kThing | kContainer | kOpens | kWooden},
    {"bottle", "bouteille", kF, kThing | kContainer | kOpens | kMeasure},
    {"glass", "verre", kM, kThing | kContainer | kMeasure},
    {"cup", "tasse", kF, kThing | kContainer | kMeasure},
    {"window", "fenêtre", kF, kThing | kOpens | kLandmark},
    {"door", "porte", kF, kThing | kOpens | kLandmark | kWooden},
    {"computer", "ordinateur", kM, kThing},
    {"guitar", "guitare", kF, kThing},
    {"flower", "fleur", kF, kThing},
    {"tree", "arbre", kM, kShelter | kLandmark},
    {"clock", "horloge", kF, kThing},
    {"ladder", "échelle", kF, kThing | kWooden},
    {"washing machine", "machine à laver", kF, kThing, "", "machines à laver"},

    {"shirt", "chemise", kF, kClothes},
    {"hat", "chapeau", kM, kClothes},
    {"coat", "manteau", kM, kClothes},
    {"shoe", "chaussure", kF, kClothes},
    {"dress", "robe", kF, kClothes},
    {"scarf", "écharpe", kF, kClothes, "scarves"},
    {"glove", "gant", kM, kClothes},

    {"garden", "jardin", kM, kPlace | kLandmark},
    {"house", "maison", kF, kPlace | kLandmark | kBuilt | kWooden},
    {"street", "rue", kF, kPlace},
    {"kitchen", "cuisine", kF, kPlace},
    {"bathroom", "salle de bains", kF, kPlace, "", "salles de bains"},
    {"forest", "forêt", kF, kPlace | kLandmark},
    {"village", "village", kM, kPlace | kGoal | kLandmark},
    {"market", "marché", kM, kGoal | kLandmark},
    {"school", "école", kF, kPlace | kGoal | kLandmark | kBuilt},
    {"station", "gare", kF, kPlace | kGoal | kLandmark},
    {"church", "église", kF, kPlace | kGoal | kLandmark | kBuilt},
    {"library", "bibliothèque", kF, kPlace | kGoal | kLandmark},
    {"hotel", "hôtel", kM, kPlace | kGoal | kLandmark | kBuilt},
    {"hospital", "hôpital", kM, kPlace | kGoal | kLandmark | kBuilt, "", "hôpitaux"},
    {"castle", "château", kM, kPlace | kGoal | kLandmark | kBuilt},
    {"beach", "plage", kF, kGoal | kSurface | kLandmark},
    {"bridge", "pont", kM, kSurface | kShelter | kLandmark | kBuilt | kWooden},
    {"island", "île", kF, kSurface | kLandmark},
};

bool is_consonant(char c) {
  return std::string_view("aeiou").find(c) == std::string_view::npos;
}

}  // namespace

std::string french_plural(std::string_view singular) {
  std::string form(singular);
  if (form.ends_with('s') || form.ends_with('x') || form.ends_with('z')) return form;
  return form + (form.ends_with("eau") ? "x" : "s");
}

std::string english_plural(std::string_view singular) {
  std::string form(singular);
  for (const char* hissing : {"s", "x", "ch", "sh"}) {
    if (form.ends_with(hissing)) return form + "es";
  }
  if (form.ends_with('y') && is_consonant(form[form.size() - 2])) {
    form.pop_back();
    return form + "ies";
  }
  return form + "s";
}

std::string Noun::english_form(Number number) const {
  if (number == Number::singular) return std::string(english);
  return english_plural.empty() ? phrases::english_plural(english) : std::string(english_plural);
}

std::string Noun::french_form(Number number) const {
  if (number == Number::singular) return std::string(french);
  return french_plural.empty() ? phrases::french_plural(french) : std::string(french_plural);
}

std::span<const Noun> nouns() {
  return kNouns;
}

const Noun& noun(std::string_view english) {
  for (const Noun& entry : kNouns) {
    if (entry.english == english) return entry;
  }
  throw InternalError("phrases: no noun \"{}\"", english);
}

}  // namespace heed::corpora::phrases
