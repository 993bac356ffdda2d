// SPDX-License-Identifier: Apache-2.0
#include "heed/corpora/phrases/sentence.h"

#include <gtest/gtest.h>

#include "heed/corpora/phrases/testing.h"

namespace heed::corpora::phrases {
namespace {

using test::a;
using test::both;
using test::np;
using test::place;
using test::plural;
using test::pronoun;
using test::the;
using test::which;
using test::with_owner;
using D = Determiner;
using N = Negation;

std::string written(const Sentence& sentence) {
  const Example example = write_sentence(sentence);
  return example.source + " | " + example.target;
}
std::string written(const Clause& clause, Question question = Question::none) {
  return written(Sentence{.clauses = {clause}, .question = question});
}

TEST(Sentence, ElidesAndNegates) {
  EXPECT_EQ(written({.subject = the("man"),
                     .verb = &verb("see"),
                     .negation = N::contracted,
                     .object = the("car", {"red"})}),
            "The man doesn't see the red car. | L'homme ne voit pas la voiture rouge.");
  EXPECT_EQ(written({.subject = pronoun(Pronoun::i),
                     .verb = &verb("like"),
                     .negation = N::full,
                     .object = plural(np(D::bare, "egg"))}),
            "I do not like eggs. | Je n'aime pas les œufs.");
  EXPECT_EQ(
      written(
          {.subject = pronoun(Pronoun::i), .verb = &verb("love"), .object = np(D::bare, "cheese")}),
      "I love cheese. | J'adore le fromage.");
  EXPECT_EQ(written({.subject = the("owl"), .verb = &verb("sleep"), .negation = N::never}),
            "The owl never sleeps. | Le hibou ne dort jamais.");
  EXPECT_EQ(written({.subject = pronoun(Pronoun::they),
                     .verb = &verb("sing"),
                     .modal = Modal::can,
                     .negation = N::contracted}),
            "They can't sing. | Ils ne peuvent pas chanter.");
  EXPECT_EQ(written({.subject = pronoun(Pronoun::she),
                     .verb = &verb("dance"),
                     .tense = Tense::future,
                     .negation = N::contracted}),
            "She won't dance. | Elle ne dansera pas.");
}

TEST(Sentence, TurnsArticlesIntoDeUnderNegation) {
  EXPECT_EQ(written({.subject = pronoun(Pronoun::he),
                     .verb = &verb("buy"),
                     .negation = N::contracted,
                     .object = a("orange")}),
            "He doesn't buy an orange. | Il n'achète pas d'orange.");
  EXPECT_EQ(written({.subject = pronoun(Pronoun::we),
                     .verb = &verb("drink"),
                     .negation = N::full,
                     .object = a("wine")}),
            "We do not drink any wine. | Nous ne buvons pas de vin.");
  EXPECT_EQ(written({.subject = pronoun(Pronoun::there),
                     .negation = N::contracted,
                     .object = a("cat"),
                     .place = place("in", the("garden"))}),
            "There isn't a cat in the garden. | Il n'y a pas de chat dans le jardin.");
}

TEST(Sentence, ContractsPrepositionsWithArticles) {
  EXPECT_EQ(written({.subject = the("girl"),
                     .verb = &verb("talk", "to"),
                     .tense = Tense::progressive,
                     .object = the("king")}),
            "The girl is talking to the king. | La fille parle au roi.");
  EXPECT_EQ(
      written(
          {.subject = the("girl"), .verb = &verb("talk", "about"), .object = plural(the("king"))}),
      "The girl talks about the kings. | La fille parle des rois.");
  EXPECT_EQ(written({.subject = the("boy"),
                     .verb = &verb("give"),
                     .tense = Tense::past,
                     .object = the("book"),
                     .recipient = plural(the("child"))}),
            "The boy gave the book to the children. | Le garçon a donné le livre aux enfants.");
  EXPECT_EQ(written({.subject = the("boy"), .verb = &verb("go", "to"), .object = the("school")}),
            "The boy goes to the school. | Le garçon va à l'école.");
  EXPECT_EQ(
      written(
          {.subject = the("cat"), .verb = &verb("sleep"), .place = place("next to", the("bed"))}),
      "The cat sleeps next to the bed. | Le chat dort à côté du lit.");
  EXPECT_EQ(written({.subject = with_owner(the("hat"), the("hero")),
                     .place = place("under", the("table"))}),
            "The hero's hat is under the table. | Le chapeau du héros est sous la table.");
}

TEST(Sentence, OrdersAndBendsAdjectives) {
  EXPECT_EQ(written({.subject = pronoun(Pronoun::she),
                     .verb = &verb("wear"),
                     .object = a("dress", {"beautiful", "white"})}),
            "She wears a beautiful white dress. | Elle porte une belle robe blanche.");
  EXPECT_EQ(written({.subject = pronoun(Pronoun::we),
                     .verb = &verb("see"),
                     .tense = Tense::past,
                     .object = a("bird", {"beautiful"})}),
            "We saw a beautiful bird. | Nous avons vu un bel oiseau.");
  EXPECT_EQ(written({.subject = np(D::this_, "man", {"old"}), .quality = &adjective("kind")}),
            "This old man is kind. | Ce vieil homme est gentil.");
  EXPECT_EQ(written({.subject = np(D::that, "computer"), .quality = &adjective("expensive")}),
            "That computer is expensive. | Cet ordinateur est cher.");
  EXPECT_EQ(written({.subject = pronoun(Pronoun::you),
                     .verb = &verb("sell"),
                     .object = plural(a("shirt", {"new"}))}),
            "You sell some new shirts. | Vous vendez de nouvelles chemises.");
  EXPECT_EQ(written({.subject = pronoun(Pronoun::i),
                     .verb = &verb("need"),
                     .object = a("ladder", {"wooden"})}),
            "I need a wooden ladder. | J'ai besoin d'une échelle en bois.");
  EXPECT_EQ(written({.subject = np(D::his, "ladder"), .quality = &adjective("dirty")}),
            "His ladder is dirty. | Son échelle est sale.");
}

TEST(Sentence, AgreesWithSeveralSubjects) {
  EXPECT_EQ(written({.subject = both(the("queen"), the("king")), .quality = &adjective("happy")}),
            "The queen and the king are happy. | La reine et le roi sont heureux.");
  EXPECT_EQ(written({.subject = both(the("queen"), np(D::her, "sister")),
                     .tense = Tense::past,
                     .quality = &adjective("happy"),
                     .degree = Degree::very}),
            "The queen and her sister were very happy. | "
            "La reine et sa sœur étaient très heureuses.");
}

TEST(Sentence, BendsParticiples) {
  EXPECT_EQ(written({.subject = np(D::my, "aunt"),
                     .verb = &verb("arrive"),
                     .tense = Tense::past,
                     .time = &time_expression("yesterday")}),
            "My aunt arrived yesterday. | Ma tante est arrivée hier.");
  EXPECT_EQ(written({.subject = plural(the("girl")),
                     .verb = &verb("get", "up"),
                     .tense = Tense::past,
                     .negation = N::contracted}),
            "The girls didn't get up. | Les filles ne se sont pas levées.");
  EXPECT_EQ(written({.subject = pronoun(Pronoun::he),
                     .verb = &verb("help"),
                     .tense = Tense::past,
                     .object = pronoun(Pronoun::she)}),
            "He helped her. | Il l'a aidée.");
  const Clause eaten{.subject = the("boy"),
                     .verb = &verb("eat"),
                     .tense = Tense::past,
                     .object = pronoun(Pronoun::gap)};
  EXPECT_EQ(written({.subject = which(plural(the("potato")), eaten),
                     .tense = Tense::past,
                     .quality = &adjective("cold")}),
            "The potatoes that the boy ate were cold. | "
            "Les pommes de terre que le garçon a mangées étaient froides.");
}

TEST(Sentence, PutsPronounsBeforeTheVerb) {
  EXPECT_EQ(written({.subject = pronoun(Pronoun::she),
                     .verb = &verb("look", "for"),
                     .tense = Tense::progressive,
                     .object = pronoun(Pronoun::they)}),
            "She is looking for them. | Elle les cherche.");
  EXPECT_EQ(written({.subject = the("dog"),
                     .verb = &verb("follow"),
                     .negation = N::full,
                     .object = pronoun(Pronoun::i)}),
            "The dog does not follow me. | Le chien ne me suit pas.");
  EXPECT_EQ(written({.subject = pronoun(Pronoun::they),
                     .verb = &verb("wait", "for"),
                     .modal = Modal::want,
                     .object = pronoun(Pronoun::he)}),
            "They want to wait for him. | Ils veulent l'attendre.");
}

TEST(Sentence, TranslatesManyWordsByOneAndOneByMany) {
  EXPECT_EQ(written({.subject = pronoun(Pronoun::there),
                     .tense = Tense::past,
                     .object = plural(np(D::many, "apple")),
                     .place = place("in front of", the("house"))}),
            "There were many apples in front of the house. | "
            "Il y avait beaucoup de pommes devant la maison.");
  EXPECT_EQ(written({.subject = the("child"),
                     .verb = &verb("eat"),
                     .object = plural(a("potato")),
                     .time = &time_expression("every day")}),
            "The child eats some potatoes every day. | "
            "L'enfant mange des pommes de terre tous les jours.");
  EXPECT_EQ(written({.subject = plural(np(D::all, "door")), .quality = &adjective("broken")}),
            "All the doors are broken. | Toutes les portes sont cassées.");
  EXPECT_EQ(
      written(
          {.subject = pronoun(Pronoun::he), .verb = &verb("hungry"), .adverb = &adverb("often")}),
      "He is often hungry. | Il a souvent faim.");
  EXPECT_EQ(written({.subject = the("horse"),
                     .quality = &adjective("strong"),
                     .degree = Degree::more,
                     .than = the("bear")}),
            "The horse is stronger than the bear. | Le cheval est plus fort que l'ours.");
  NounPhrase glass = a("glass");
  glass.content = &noun("water");
  EXPECT_EQ(written({.subject = pronoun(Pronoun::i), .verb = &verb("drink"), .object = glass}),
            "I drink a glass of water. | Je bois un verre d'eau.");
  EXPECT_EQ(written({.subject = pronoun(Pronoun::i),
                     .verb = &verb("drink"),
                     .object = a("orange juice", {"cold"})}),
            "I drink some cold orange juice. | Je bois du jus d'orange froid.");
}

TEST(Sentence, AsksQuestions) {
  EXPECT_EQ(written({.subject = pronoun(Pronoun::he), .verb = &verb("work")}, Question::yes_no),
            "Does he work? | Est-ce qu'il travaille?");
  EXPECT_EQ(written({.subject = the("key")}, Question::where),
            "Where is the key? | Où est la clé?");
  EXPECT_EQ(written({.subject = the("queen"), .verb = &verb("cry"), .tense = Tense::progressive},
                    Question::why),
            "Why is the queen crying? | Pourquoi est-ce que la reine pleure?");
  EXPECT_EQ(written({.subject = pronoun(Pronoun::they), .verb = &verb("read")}, Question::what),
            "What do they read? | Qu'est-ce qu'ils lisent?");
  EXPECT_EQ(written({.subject = the("boy"),
                     .verb = &verb("eat"),
                     .tense = Tense::past,
                     .object = plural(np(D::how_many, "pear"))},
                    Question::how_many),
            "How many pears did the boy eat? | "
            "Combien de poires est-ce que le garçon a mangées?");
  EXPECT_EQ(written({.subject = pronoun(Pronoun::who),
                     .verb = &verb("open"),
                     .tense = Tense::past,
                     .object = the("window")}),
            "Who opened the window? | Qui a ouvert la fenêtre?");
}

TEST(Sentence, JoinsClauses) {
  const Clause rain{.subject = pronoun(Pronoun::it), .verb = &verb("rain")};
  const Clause work{.subject = pronoun(Pronoun::i), .verb = &verb("work")};
  const Clause sleep{.subject = the("uncle"), .verb = &verb("sleep")};
  EXPECT_EQ(written({.clauses = {work, rain}, .joins = {Conjunction::when}, .turned = true}),
            "When it rains, I work. | Quand il pleut, je travaille.");
  EXPECT_EQ(
      written({.clauses = {work, sleep, rain}, .joins = {Conjunction::but, Conjunction::because}}),
      "I work, but the uncle sleeps because it rains. | "
      "Je travaille, mais l'oncle dort parce qu'il pleut.");
  EXPECT_EQ(written({.subject = pronoun(Pronoun::she),
                     .verb = &verbs_of_speech()[0],
                     .that = std::make_shared<Clause>(rain)}),
            "She says that it rains. | Elle dit qu'il pleut.");
}

TEST(Sentence, AlignsWordsThatMeanTheSame) {
  const Example example = write_sentence({.clauses = {{.subject = the("man"),
                                                       .verb = &verb("see"),
                                                       .negation = N::contracted,
                                                       .object = the("car", {"red"})}}});
  // The man doesn't see the red car. | L'homme ne voit pas la voiture rouge.
  EXPECT_EQ(text::to_pharaoh(example.alignment), "0p0 1-0 2-1 2p2 2-3 3-2 4-4 5-6 6-5 6p6");
}

}  // namespace
}  // namespace heed::corpora::phrases
