// SPDX-License-Identifier: Apache-2.0
// A story becomes slots, and weights of slots those of sentences.
#include "heed/pipeline/memory/asker.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "heed/attention/trace.h"
#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/pipeline/memory/story_data.h"
#include "heed/pipeline/memory/story_quality.h"
#include "heed/pipeline/model_folder.h"
#include "heed/pipeline/probability.h"
#include "heed/pipeline/text_bounds.h"
#include "heed/pipeline/vocabulary_options.h"
#include "heed/text/white_space.h"

namespace heed::pipeline {
namespace {

constexpr const char* kNothing = "(empty slots)";
constexpr const char* kSupportMark = "\u2605 ";  // a star

std::vector<Answer> best_answers(const std::vector<Real>& shares, std::size_t count,
                                 const text::Tokeniser& tokeniser) {
  std::vector<text::Token> order(shares.size() - text::kFirstPiece);
  std::iota(order.begin(), order.end(), text::kFirstPiece);
  const auto share = [&](text::Token token) { return shares[static_cast<std::size_t>(token)]; };
  for (const text::Token token : order) {
    require_probability(share(token), "answer", static_cast<std::size_t>(token));
  }
  std::ranges::stable_sort(order, std::greater<>(), share);
  order.resize(std::min(order.size(), count));
  std::vector<Answer> answers;
  for (const text::Token token : order) {
    answers.push_back({tokeniser.piece(token), static_cast<double>(share(token))});
  }
  return answers;
}

// Words of these that the vocabulary lacks, each once.
void add_unknown(const text::Tokeniser& tokeniser, std::string_view sentence,
                 std::vector<std::string>& unknown) {
  for (std::string& word : tokeniser.encode(text::plain_words(sentence)).unknown) {
    if (word != text::kValueArrow && std::ranges::count(unknown, word) == 0) {
      unknown.push_back(std::move(word));
    }
  }
}

}  // namespace

Asker::Asker(const std::filesystem::path& path) {
  const ModelFolder folder{path};
  folder.check("memory");
  folder.read_config(options_.list);
  const std::filesystem::path sizes = folder.file(kMemoryFile);
  sizes_ = parse_sizes(read_file(sizes), sizes.string());
  tokeniser_ = text::load_tokeniser(folder.file(kTokeniserFile));
  Random random(0);
  const auto model = folder.made([&] {
    return std::make_shared<models::MemoryNetwork>(options_.to_options(tokeniser_->size(), sizes_),
                                                   random);
  });
  nn::Parameters parameters = nn::parameters(*model);
  folder.load_weights(parameters);
  model_ = model;
}

StoryAnswer Asker::ask(const text::Story& story, const text::StoryQuestion& question,
                       const AskOptions& options, const std::string& name) const {
  StoryTable table(*tokeniser_);
  const std::vector<AskedQuestion> asked = {
      table.add(story, question, {sizes_, options_.memories, options_.candidates}, name)};
  const std::size_t chosen[] = {0};
  attention::Trace trace;
  const NoGradient values_only;
  const models::StoryBatch batch = story_batch(table, asked, chosen, sizes_, 0, nullptr);
  const Variable logits = (*model_)(batch, {.watch = &trace}).logits;

  StoryAnswer found{.question = question.text};
  found.answers = best_answers(softmax(logits).value().values(),
                               static_cast<std::size_t>(options.top), *tokeniser_);
  add_unknown(*tokeniser_, question.text, found.unknown);
  for (std::size_t i = 0; i < question.sentences; ++i) {
    add_unknown(*tokeniser_, story.sentences[i].text, found.unknown);
    found.sentences.push_back(
        {.text = story.sentences[i].text,
         .supports = std::ranges::count(question.support, static_cast<int>(i)) > 0});
  }
  for (const attention::Trace::Entry& hop : trace.entries()) {
    double nothing = 0;
    for (std::int64_t slot = 0; slot < hop.weights.size(3); ++slot) {
      const auto at = static_cast<std::size_t>(slot);
      const auto weight = static_cast<double>(attention::share_of(hop.weights.at({0, 0, 0, slot})));
      if (at < asked[0].places.size()) {
        found.sentences[static_cast<std::size_t>(asked[0].places[at])].weights.push_back(weight);
      } else {
        nothing += weight;
      }
    }
    found.nothing.push_back(nothing);
  }
  return found;
}

StoryAnswer Asker::ask(std::span<const std::string> sentences, const std::string& question,
                       const AskOptions& options) const {
  if (text::plain_words(question).empty()) {
    throw UsageError("the question has no words; ask one, such as \"Where is Mary?\"");
  }
  text::Story story;
  for (const std::string& sentence : sentences) {
    if (std::string problem = text_problem(sentence); !problem.empty()) {
      throw BadText("sentence", story.sentences.size() + 1, story.sentences.size(),
                    std::move(problem));
    }
    story.sentences.push_back({.text = sentence, .line = story.sentences.size() + 1});
  }
  const text::StoryQuestion asked{.text = question, .sentences = sentences.size()};
  try {
    return ask(story, asked, options, "story");
  } catch (const DataError& error) {
    throw UsageError("{}", error.what());
  }
}

insight::TracedExample Asker::traced(const StoryAnswer& answer) {
  insight::TracedExample example{.title = answer.question};
  insight::TokenStrip hops{.name = "hops"}, story{.name = "story"};
  for (std::size_t hop = 0; hop < answer.nothing.size(); ++hop) {
    hops.tokens.push_back(fmt::format("hop {}", hop + 1));
  }
  for (const RememberedSentence& sentence : answer.sentences) {
    story.tokens.push_back((sentence.supports ? kSupportMark : "") + sentence.text);
  }
  story.tokens.emplace_back(kNothing);
  Tensor weights({static_cast<std::int64_t>(hops.tokens.size()),
                  static_cast<std::int64_t>(story.tokens.size())});
  Real* cell = weights.mutable_data();
  for (std::size_t hop = 0; hop < hops.tokens.size(); ++hop) {
    for (const RememberedSentence& sentence : answer.sentences) {
      *cell++ =
          sentence.weights.empty() ? attention::kMasked : static_cast<Real>(sentence.weights[hop]);
    }
    *cell++ = static_cast<Real>(answer.nothing[hop]);
  }
  example.strips = {std::move(hops), std::move(story)};
  example.attentions.push_back(
      {.kind = "hops", .queries = "hops", .keys = "story", .heads = {{0, 0, weights}}});
  return example;
}

StoryQuality Asker::judge(const std::string& file) const {
  StoryTable table(*tokeniser_);
  std::vector<AskedQuestion> questions;
  for (const text::Story& story : text::read_stories(file)) {
    for (const text::StoryQuestion& question : story.questions) {
      questions.push_back(
          table.add(story, question, {sizes_, options_.memories, options_.candidates}, file));
    }
  }
  return quality_of(file, questions, read_questions(*model_, table, questions, sizes_));
}

}  // namespace heed::pipeline
