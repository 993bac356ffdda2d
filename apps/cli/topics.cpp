// SPDX-License-Identifier: Apache-2.0
// `heed topics`: every topic of a course on attention, the command that shows it and what it gives.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/verb.h"
#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/pipeline/recipe.h"

namespace heed::cli {
namespace {

struct Topic {
  std::string_view name;
  std::string_view source;   // who brought it up
  std::string_view command;  // without "heed"; "recipes check NAME" takes its figure from there
  std::string_view figure = {};
};

constexpr Topic kTopics[] = {
    {"The bottleneck of one vector", "Sutskever 2014, Cho 2014",
     "recipes check phrases-fixed-vector"},
    {"Additive attention", "Bahdanau 2015", "recipes check phrases-rnn-additive"},
    {"Alignment: where it looks", "Bahdanau 2015", "demo",
     "a heatmap, and the error rate against gold alignments"},
    {"Multiplicative attention, input feeding", "Luong 2015", "recipes check phrases-rnn-luong"},
    {"Dot products and why they are scaled", "Vaswani 2017", "describe \"scaled_dot\" --width 64",
     "its formula, no parameters, 256 flops for each key"},
    {"Scores with parameters", "Bahdanau 2015", "describe \"additive\" --width 64",
     "the matrices and how many numbers they hold"},
    {"Self-attention", "Vaswani 2017", "describe transformer-tiny --depth 3",
     "the three attentions of a Transformer by name"},
    {"Several heads", "Vaswani 2017", "recipes check transformer-ablation"},
    {"Masks: the future hidden", "Vaswani 2017", "mechanisms causal",
     "which keys a query may look at"},
    {"Positions", "Vaswani 2017, Su 2021, Press 2022", "mechanisms alibi",
     "the bias by distance; transformer-ablation shows what positions are worth"},
    {"Local attention", "Luong 2015, Beltagy 2020", "mechanisms window",
     "a window of keys around each query"},
    {"Hard attention", "Xu 2015", "mechanisms sample",
     "one key, drawn; trained by its probability"},
    {"Ways to learn a choice: drawn, summed over, straight through", "Williams 1992, Correia 2020",
     "bench messages", "success .60 by the sum over a sparse support, .38 by one draw"},
    {"Bias and variance of gradients through a choice", "Williams 1992, Jang 2017",
     "bench estimators", "each beside the exact gradient"},
    {"Sparse weights", "Martins 2016, Peters 2019", "mechanisms sparsemax",
     "exact zeros, and where they begin"},
    {"Neighbours chosen together", "Kim 2017", "mechanisms linear_chain",
     "marginals of a chain of choices"},
    {"Few structures instead of all", "Niculae 2018", "mechanisms sparse_chain",
     "SparseMAP: a handful of sequences shares the weight"},
    {"Hard attention translates: summed, drawn, with and without a baseline", "Xu 2015, Wu 2018",
     "recipes check phrases-hard"},
    {"Alignments that never go back", "Raffel 2017, Wu 2018", "recipes check dates-monotone"},
    {"Trees: every word reads the word it hangs on", "Kim 2017", "recipes check trees"},
    {"Coverage", "Tu 2016, See 2017", "mechanisms coverage", "a score that knows what was read"},
    {"Copying words that no vocabulary has", "See 2017", "recipes check names-copy"},
    {"Sentences before: hierarchical context", "Miculicich 2018",
     "recipes check documents-context"},
    {"Sentences of words", "Yang 2016", "recipes check reviews-encoders"},
    {"Attention that pools words, one for each aspect", "Lin 2017",
     "recipes check reviews-aspects"},
    {"Does attention point at the evidence?", "Jain 2019, Wiegreffe 2019",
     "recipes check reviews-aspects"},
    {"Rationales: what was kept is all that is read", "Lei 2016, Bastings 2019",
     "recipes check reviews-rationale"},
    {"Rationales of film reviews", "Lei 2016, DeYoung 2020", "recipes check sst2-rationale"},
    {"Which words speak for an answer", "Li 2016, Sundararajan 2017", "explain --methods",
     "ten explainers and what each promises"},
    {"May attention be shown as an explanation?", "Jain 2019, Serrano 2019",
     "audit --model model --data data/test.tsv",
     "is it needed, hard to manipulate, in agreement with erasure and gradients"},
    {"Explaining a classifier to a layperson", "Treviso 2020", "recipes check layperson"},
    {"Memory: the question asks", "Sukhbaatar 2015", "recipes check facts-question"},
    {"Associative memory: a step of it is softmax attention", "Hopfield 1982, Ramsauer 2020",
     "recall --capacity patterns",
     "exact recall of 14 random patterns of 64 bits: classical .32, modern 1.00"},
    {"Memory networks: several hops over a story", "Sukhbaatar 2015", "recipes check facts-memory"},
    {"One memory for twenty tasks", "Weston 2015, Sukhbaatar 2015", "recipes check babi-joint"},
    {"Keys and values that are different texts", "Miller 2016", "recipes check facts-key-value"},
    {"Neural Turing machines: reading and writing by attention", "Graves 2014",
     "recipes check ntm-copy"},
    {"Finding a slot by content", "Graves 2014", "recipes check ntm-recall"},
    {"CTC: a sum over all monotonic alignments, beside attention that never goes back",
     "Graves 2006, Raffel 2017, Chiu 2018", "recipes check symbols-ctc"},
    {"Reading written digits side by side", "Graves 2006, LeCun 1998", "recipes check digits-ctc"},
    {"Where a digit is among clutter: pooling that chooses", "after Mnih 2014",
     "recipes check cluttered-pooling"},
    {"Patches as words: the vision Transformer", "Dosovitskiy 2021", "recipes check mnist-vit"},
    {"Glimpses: where to look, learnt by reward", "Mnih 2014, Gregor 2015",
     "recipes check mnist-glimpse"},
    {"Glimpses that find a digit on a canvas", "Mnih 2014", "recipes check translated-glimpse"},
    {"Glimpses among clutter", "Mnih 2014", "recipes check cluttered-glimpse"},
    {"What an image costs against its size", "Mnih 2014", "bench glimpses",
     "flat for glimpses; with the area for convolutions"},
    {"Captions: where each word looks in the picture", "Xu 2015",
     "recipes check scenes-caption-soft"},
    {"Captions by looks that are drawn: hard attention", "Xu 2015",
     "recipes check scenes-caption-hard"},
    {"Questions on a picture in several looks", "Yang 2016, Sukhbaatar 2015",
     "recipes check scenes-questions"},
    {"The colour of the one cross: a target among distractors", "after Mnih 2014",
     "recipes check scenes-target"},
    {"Looking at an ellipse: continuous attention", "Martins 2020", "mechanisms continuous_grid",
     "a Gaussian or a paraboloid over the plane, in closed form"},
    {"Pointers: the weights are the output", "Vinyals 2015", "recipes check hull-pointer"},
    {"Sets have no order", "Vinyals 2016", "recipes check sort-pointer"},
    {"Pointing without a recurrent network, learnt from lengths alone", "Kool 2019",
     "recipes check tour-reinforce"},
    {"Two sentences compared word by word", "Rocktäschel 2016", "recipes check entailment-words"},
    {"Syntax: the subject among other nouns", "Linzen 2016", "recipes check agreement-lstm"},
    {"Sentiment", "Socher 2013", "recipes check sst2-lstm-additive"},
    {"A language model without attention", "Graves 2013", "recipes check stories-lstm"},
    {"Attention over one's own past", "Cheng 2016, Daniluk 2017",
     "recipes check stories-lstm-attention"},
    {"The decoder-only Transformer, keys and values cached", "Radford 2018",
     "recipes check shakespeare-gpt"},
    {"A memory of the segments before", "Dai 2019, Rae 2020", "recipes check long-memory"},
    {"Masked words", "Devlin 2019", "recipes check stories-masked"},
    {"A cache over the past at inference", "Grave 2017", "score --help",
     "perplexity 104.0 instead of 116.5 on the Penn Treebank, no retraining"},
    {"Beam search", "Sutskever 2014", "translate --help", "beams, penalties, n-best lists"},
    {"The whole Transformer", "Vaswani 2017", "recipes check phrases-transformer"},
    {"What each trick is worth", "Vaswani 2017", "recipes check transformer-ablation"},
    {"Efficiency: attention against recurrence", "Vaswani 2017, table 1", "bench layers",
     "exponents of time in length: attention 2.00, recurrent 1.00, windowed 1.01"},
    {"How far back a model learns from", "Hochreiter 1997", "bench reach",
     "gradients 50 steps back: an LSTM with attention 32 times one without"},
    {"Attention without a matrix of scores", "Dao 2022", "bench attention",
     "4,096 keys at .80 of the FMA loop, in 9.6 MiB"},
    {"Comparing models", "Koehn 2004", "compare --help",
     "quality, size, speed, and whether it is chance"},
    {"Looking inside a model", "", "describe rnn-additive", "parts, shapes, costs"},
    {"Every head, layer and step", "Vig 2019", "view --help",
     "a heatmap, a picture or a page; error rate of each head against gold alignments"},
};

// The recipe a topic takes its figure from; empty without one.
std::string_view recipe_name(const Topic& topic) {
  constexpr std::string_view kCheck = "recipes check ";
  return topic.command.starts_with(kCheck) ? topic.command.substr(kCheck.size()) : "";
}

// The recipes of a folder, every one that a topic names among them.
std::vector<pipeline::Recipe> recipes_of_topics(const std::filesystem::path& folder) {
  std::vector<pipeline::Recipe> recipes = pipeline::read_recipes(folder);
  for (const Topic& topic : kTopics) {
    const std::string_view name = recipe_name(topic);
    if (name.empty() || std::ranges::count(recipes, name, &pipeline::Recipe::name) > 0) continue;
    throw DataError(
        "{}: there is no {}.toml, which the topic \"{}\" takes its figure from; give the folder of "
        "all of Heed's recipes as --folder, or leave the option out",
        folder.string(), name, topic.name);
  }
  return recipes;
}

std::string figure_of(const Topic& topic, const std::vector<pipeline::Recipe>& recipes) {
  const auto recipe = std::ranges::find(recipes, recipe_name(topic), &pipeline::Recipe::name);
  if (recipe == recipes.end()) return std::string(topic.figure);
  std::string figure = fmt::format("{} {}", recipe->metric, recipe->band.text());
  std::size_t open = 0;
  for (const pipeline::RecipeVariant& variant : recipe->variants) {
    if (variant.band.is_open()) {
      ++open;
    } else {
      figure += fmt::format("; {} {}", variant.name, variant.band.text());
    }
  }
  if (open > 0) figure += fmt::format(", {} variant{} beside it", open, open == 1 ? "" : "s");
  return figure;
}

void print_markdown(const std::vector<pipeline::Recipe>& recipes) {
  fmt::print(
      "# Topics\n\nEvery topic of a course on attention, the command that shows it, and the figure "
      "it gives. This page is what `heed topics --markdown` prints; figures of "
      "[recipes](recipes.md) are the bands that they are held to.\n\n"
      "| topic | from | command | what it gives |\n|---|---|---|---|\n");
  for (const Topic& topic : kTopics) {
    std::string command(topic.command);
    // A bar would end the cell.
    for (std::size_t at = command.find('|'); at != std::string::npos;
         at = command.find('|', at + 2)) {
      command.insert(at, "\\");
    }
    fmt::print("| {} | {} | `heed {}` | {} |\n", topic.name, topic.source, command,
               figure_of(topic, recipes));
  }
}

void print_text(const std::vector<pipeline::Recipe>& recipes) {
  for (const Topic& topic : kTopics) {
    fmt::print("{}{}\n  heed {}\n  {}\n", topic.name,
               topic.source.empty() ? "" : fmt::format(" ({})", topic.source), topic.command,
               figure_of(topic, recipes));
  }
}

struct TopicsVerb {
  bool markdown = false;
  std::string folder;

  Options list;

  TopicsVerb() {
    list.add("markdown", markdown, "print the page docs/topics.md");
    list.add("folder", folder, "where the recipes are; empty: ./recipes, then the installed ones");
  }
};

Action set_up(CommandLine& line) {
  auto verb = std::make_shared<TopicsVerb>();
  return line.with_options(verb->list, [verb] {
    const auto recipes = recipes_of_topics(pipeline::recipes_folder(verb->folder));
    verb->markdown ? print_markdown(recipes) : print_text(recipes);
  });
}

const ListedVerb kListed({.name = "topics",
                          .summary = "List the topics of a course on attention and what shows them",
                          .description = "",
                          .example = "heed topics\nheed topics --markdown > docs/topics.md",
                          .setup = set_up});

}  // namespace
}  // namespace heed::cli
