// SPDX-License-Identifier: Apache-2.0
// The verbs and their conjugation.
#include <algorithm>

#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/corpora/phrases/lexicon.h"

namespace heed::corpora::phrases {
namespace {

constexpr FrenchVerb kEtre = {"être", "suis est sommes êtes sont", "été", "ser", "ét"};
constexpr FrenchVerb kAvoir = {"avoir", "ai a avons avez ont", "eu", "aur", "av"};
constexpr FrenchVerb kPouvoir = {"pouvoir", "peux peut pouvons pouvez peuvent"};
constexpr FrenchVerb kDevoir = {"devoir", "dois doit devons devez doivent"};
constexpr FrenchVerb kVouloir = {"vouloir", "veux veut voulons voulez veulent"};

constexpr FrenchVerb kVoir = {"voir", "vois voit voyons voyez voient", "vu", "verr"};
constexpr FrenchVerb kAcheter = {"acheter", "achète achète achetons achetez achètent", "acheté",
                                 "achèter"};
constexpr FrenchVerb kVendre = {"vendre", "vends vend vendons vendez vendent", "vendu", "vendr"};
constexpr FrenchVerb kManger = {"manger", "mange mange mangeons mangez mangent", "mangé"};
constexpr FrenchVerb kBoire = {"boire", "bois boit buvons buvez boivent", "bu", "boir"};
constexpr FrenchVerb kLire = {"lire", "lis lit lisons lisez lisent", "lu", "lir"};
constexpr FrenchVerb kEcrire = {"écrire", "écris écrit écrivons écrivez écrivent", "écrit",
                                "écrir"};
constexpr FrenchVerb kPrendre = {"prendre", "prends prend prenons prenez prennent", "pris",
                                 "prendr"};
constexpr FrenchVerb kAimer = {"aimer", "", "", "", "aim"};
constexpr FrenchVerb kAdorer = {"adorer", "", "", "", "ador"};
constexpr FrenchVerb kAttendre = {"attendre", "attends attend attendons attendez attendent",
                                  "attendu", "attendr"};
constexpr FrenchVerb kConnaitre = {"connaître",
                                   "connais connaît connaissons connaissez connaissent", "connu",
                                   "connaîtr", "connaiss"};
constexpr FrenchVerb kNettoyer = {"nettoyer", "nettoie nettoie nettoyons nettoyez nettoient",
                                  "nettoyé", "nettoier"};
constexpr FrenchVerb kOuvrir = {"ouvrir", "ouvre ouvre ouvrons ouvrez ouvrent", "ouvert"};
constexpr FrenchVerb kPerdre = {"perdre", "perds perd perdons perdez perdent", "perdu", "perdr"};
constexpr FrenchVerb kChoisir = {"choisir", "choisis choisit choisissons choisissez choisissent",
                                 "choisi"};
constexpr FrenchVerb kConstruire = {"construire",
                                    "construis construit construisons construisez construisent",
                                    "construit", "construir"};
constexpr FrenchVerb kSuivre = {"suivre", "suis suit suivons suivez suivent", "suivi", "suivr"};
constexpr FrenchVerb kAppeler = {"appeler", "appelle appelle appelons appelez appellent", "appelé",
                                 "appeller"};
constexpr FrenchVerb kEntendre = {"entendre", "entends entend entendons entendez entendent",
                                  "entendu", "entendr"};
constexpr FrenchVerb kAller = {.infinitive = "aller",
                               .present = "vais va allons allez vont",
                               .participle = "allé",
                               .future = "ir",
                               .etre = true};
constexpr FrenchVerb kVenir = {.infinitive = "venir",
                               .present = "viens vient venons venez viennent",
                               .participle = "venu",
                               .future = "viendr",
                               .etre = true};
constexpr FrenchVerb kRevenir = {.infinitive = "revenir",
                                 .present = "reviens revient revenons revenez reviennent",
                                 .participle = "revenu",
                                 .future = "reviendr",
                                 .etre = true};
constexpr FrenchVerb kPartir = {.infinitive = "partir",
                                .present = "pars part partons partez partent",
                                .participle = "parti",
                                .etre = true};
constexpr FrenchVerb kDormir = {"dormir", "dors dort dormons dormez dorment", "dormi"};
constexpr FrenchVerb kCourir = {"courir", "cours court courons courez courent", "couru", "courr"};
constexpr FrenchVerb kRire = {"rire", "ris rit rions riez rient", "ri", "rir"};
constexpr FrenchVerb kNager = {"nager", "nage nage nageons nagez nagent", "nagé"};
constexpr FrenchVerb kLever = {.infinitive = "lever",
                               .present = "lève lève levons levez lèvent",
                               .participle = "levé",
                               .future = "lèver",
                               .etre = true,
                               .reflexive = true};
constexpr FrenchVerb kPleuvoir = {"pleuvoir", "- pleut - - -", "plu", "pleuvr"};

constexpr FrenchVerb with_etre(std::string_view infinitive) {
  return {.infinitive = infinitive, .etre = true};
}
constexpr FrenchVerb with_se(std::string_view infinitive) {
  return {.infinitive = infinitive, .etre = true, .reflexive = true};
}
constexpr FrenchVerb regular(std::string_view infinitive) {
  return {.infinitive = infinitive};
}

constexpr Verb transitive(std::string_view english, std::string_view past, std::string_view ing,
                          const FrenchVerb& french, Kinds objects, Kinds subjects = kPerson) {
  return {.english = english,
          .past = past,
          .ing = ing,
          .french = french,
          .subjects = subjects,
          .objects = objects};
}
constexpr Verb with_particle(Verb verb, std::string_view particle) {
  verb.particle = particle;
  return verb;
}
constexpr Verb with_preposition(Verb verb, std::string_view preposition) {
  verb.preposition = preposition;
  return verb;
}
constexpr Verb to_somebody(Verb verb) {
  verb.recipient = true;
  return verb;
}
constexpr Verb of_kinds(Verb verb) {
  verb.generic = true;
  return verb;
}
constexpr Verb intransitive(std::string_view english, std::string_view past, std::string_view ing,
                            const FrenchVerb& french, Kinds subjects = kPerson) {
  return transitive(english, past, ing, french, 0, subjects);
}
constexpr Verb state(std::string_view words, Kinds subjects = kPerson) {
  return {.english = "be", .past = "was", .state = words, .french = kAvoir, .subjects = subjects};
}

const Verb kVerbs[] = {
    transitive("see", "saw", "", kVoir, kAnything, kLiving),
    with_particle(transitive("look", "looked", "looking", regular("regarder"),
                             kPerson | kAnimal | kThing, kLiving),
                  "at"),
    with_particle(transitive("look", "looked", "looking", regular("chercher"), kAnything, kLiving),
                  "for"),
    transitive("find", "found", "", regular("trouver"), kGoods | kAnimal),
    transitive("buy", "bought", "buying", kAcheter, kGoods),
    to_somebody(transitive("sell", "sold", "selling", kVendre, kGoods)),
    transitive("eat", "ate", "eating", kManger, kFood, kLiving),
    transitive("drink", "drank", "drinking", kBoire, kDrink, kLiving),
    transitive("read", "", "reading", kLire, kText),
    transitive("write", "wrote", "writing", kEcrire, kText),
    transitive("wear", "wore", "wearing", regular("porter"), kClothes),
    transitive("carry", "carried", "carrying", regular("porter"), kThing),
    transitive("take", "took", "taking", kPrendre, kThing | kClothes | kText),
    of_kinds(transitive("like", "liked", "", kAimer, kAnything | kDrink)),
    of_kinds(transitive("love", "loved", "", kAdorer, kAnything | kDrink)),
    with_particle(transitive("wait", "waited", "waiting", kAttendre, kPerson), "for"),
    with_particle(
        transitive("listen", "listened", "listening", regular("écouter"), kPerson | kPool), "to"),
    transitive("visit", "visited", "visiting", regular("visiter"), kPlace),
    transitive("know", "knew", "", kConnaitre, kPerson | kPlace),
    transitive("clean", "cleaned", "cleaning", kNettoyer, kThing | kClothes),
    transitive("open", "opened", "opening", kOuvrir, kOpens),
    transitive("lose", "lost", "", kPerdre, kThing | kClothes | kAnimal),
    to_somebody(transitive("bring", "brought", "bringing", regular("apporter"), kGoods)),
    transitive("draw", "drew", "drawing", regular("dessiner"), kPerson | kAnimal | kThing),
    transitive("choose", "chose", "choosing", kChoisir, kThing | kClothes | kText),
    transitive("build", "built", "building", kConstruire, kBuilt),
    transitive("follow", "followed", "following", kSuivre, kPerson | kAnimal, kLiving),
    transitive("help", "helped", "helping", regular("aider"), kPerson),
    transitive("call", "called", "calling", kAppeler, kPerson),
    transitive("hear", "heard", "", kEntendre, kPerson | kAnimal, kLiving),
    transitive("forget", "forgot", "", regular("oublier"), kThing | kClothes | kText),
    to_somebody(transitive("give", "gave", "giving", regular("donner"), kGoods)),
    to_somebody(transitive("show", "showed", "showing", regular("montrer"), kGoods | kAnimal)),
    transitive("have", "had", "", kAvoir, kThing | kClothes | kAnimal),
    {.english = "need",
     .past = "needed",
     .french = kAvoir,
     .noun = "besoin",
     .preposition = "de",
     .objects = kGoods},
    {.english = "be",
     .past = "was",
     .particle = "of",
     .state = "afraid|peur",
     .french = kAvoir,
     .preposition = "de",
     .objects = kAnimal},
    with_preposition(
        with_particle(transitive("talk", "talked", "talking", regular("parler"), kPerson), "to"),
        "à"),
    with_preposition(with_particle(transitive("talk", "talked", "talking", regular("parler"),
                                              kPerson | kAnimal | kText),
                                   "about"),
                     "de"),
    with_preposition(with_particle(transitive("think", "thought", "thinking", regular("penser"),
                                              kPerson | kAnimal),
                                   "about"),
                     "à"),
    with_preposition(
        with_particle(transitive("play", "played", "playing", regular("jouer"), kAnimal | kPerson),
                      "with"),
        "avec"),
    with_preposition(
        transitive("enter", "entered", "entering", with_etre("entrer"), kPlace, kLiving), "dans"),
    transitive("leave", "left", "leaving", regular("quitter"), kPlace | kGoal),
    with_preposition(with_particle(transitive("go", "went", "going", kAller, kGoal), "to"), "à"),
    with_preposition(with_particle(transitive("come", "came", "", kVenir, kGoal), "from"), "de"),
    with_preposition(
        with_particle(transitive("arrive", "arrived", "arriving", with_etre("arriver"), kGoal),
                      "at"),
        "à"),

    intransitive("sleep", "slept", "sleeping", kDormir, kLiving),
    intransitive("work", "worked", "working", regular("travailler")),
    intransitive("sing", "sang", "singing", regular("chanter"), kPerson | kPool),
    intransitive("dance", "danced", "dancing", regular("danser")),
    intransitive("run", "ran", "running", kCourir, kLiving),
    intransitive("cry", "cried", "crying", regular("pleurer")),
    intransitive("laugh", "laughed", "laughing", kRire),
    intransitive("swim", "swam", "swimming", kNager, kLiving),
    intransitive("fall", "fell", "", with_etre("tomber"), kLiving),
    intransitive("leave", "left", "leaving", kPartir),
    intransitive("arrive", "arrived", "arriving", with_etre("arriver")),
    with_particle(intransitive("come", "came", "coming", kRevenir, kLiving), "back"),
    with_particle(intransitive("get", "got", "getting", kLever), "up"),
    with_particle(intransitive("wake", "woke", "", with_se("réveiller"), kLiving), "up"),
    with_particle(intransitive("go", "went", "going", with_se("coucher")), "to bed"),
    state("hungry|faim", kLiving),
    state("thirsty|soif", kLiving),
    state("cold|froid", kLiving),
    state("right|raison"),
    state("sleepy|sommeil", kLiving),
    {.english = "rain", .past = "rained", .ing = "raining", .french = kPleuvoir, .subjects = 0},
    {.english = "snow",
     .past = "snowed",
     .ing = "snowing",
     .french = regular("neiger"),
     .subjects = 0},
};

const Verb kSpeech[] = {
    {.english = "say", .french = {"dire", "dis dit disons dites disent", "dit", "dir"}},
    {.english = "think", .french = regular("penser")},
    {.english = "know", .french = {"savoir", "sais sait savons savez savent", "su", "saur"}},
    {.english = "believe", .french = {"croire", "crois croit croyons croyez croient", "cru"}},
};

std::string stem_of(const FrenchVerb& verb) {
  if (!verb.infinitive.ends_with("er")) {
    throw InternalError("phrases: {} is not of the first conjugation; give its forms",
                        verb.infinitive);
  }
  return std::string(verb.infinitive.substr(0, verb.infinitive.size() - 2));
}

Forms with_endings(const std::string& stem, const std::array<const char*, 5>& endings) {
  Forms forms;
  for (std::size_t i = 0; i < forms.size(); ++i) forms[i] = stem + endings[i];
  return forms;
}

}  // namespace

Forms FrenchVerb::present_forms() const {
  if (present.empty()) return with_endings(stem_of(*this), {"e", "e", "ons", "ez", "ent"});
  Forms forms;
  std::ranges::copy(split(present, ' '), forms.begin());
  return forms;
}

Forms FrenchVerb::future_forms() const {
  const std::string stem(future.empty() ? infinitive : future);
  return with_endings(stem, {"ai", "a", "ons", "ez", "ont"});
}

Forms FrenchVerb::imperfect_forms() const {
  return with_endings(std::string(imperfect), {"ais", "ait", "ions", "iez", "aient"});
}

std::string FrenchVerb::participle_form(Gender gender, Number number) const {
  std::string form = participle.empty() ? stem_of(*this) + "é" : std::string(participle);
  if (gender == Gender::feminine) form += "e";
  return number == Number::plural ? french_plural(form) : form;
}

std::string Verb::third() const {
  if (english == "have") return "has";
  if (english.ends_with('o')) return std::string(english) + "es";
  return english_plural(english);  // the same rule
}

std::span<const Verb> verbs() {
  return kVerbs;
}

std::span<const Verb> verbs_of_speech() {
  return kSpeech;
}

const Verb& verb(std::string_view english, std::string_view particle, Kinds objects) {
  for (const Verb& entry : kVerbs) {
    const bool state =
        entry.english == "be" && entry.state.substr(0, entry.state.find('|')) == english;
    if ((entry.english == english || state) && entry.particle == particle &&
        (objects == 0 ? true : (entry.objects & objects) != 0)) {
      return entry;
    }
  }
  throw InternalError("phrases: no verb \"{} {}\"", english, particle);
}

const FrenchVerb& etre() {
  return kEtre;
}
const FrenchVerb& avoir() {
  return kAvoir;
}
const FrenchVerb& pouvoir() {
  return kPouvoir;
}
const FrenchVerb& devoir() {
  return kDevoir;
}
const FrenchVerb& vouloir() {
  return kVouloir;
}

}  // namespace heed::corpora::phrases
