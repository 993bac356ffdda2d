// SPDX-License-Identifier: Apache-2.0
// A memory network as one model among others: what it is asked whatever its kind.
#include "heed/base/error.h"
#include "heed/base/options.h"
#include "heed/pipeline/measure.h"
#include "heed/pipeline/memory/asker.h"
#include "heed/pipeline/memory/story_data.h"
#include "heed/pipeline/memory/story_quality.h"

namespace heed::pipeline {

std::int64_t Asker::parameter_count() const {
  return nn::parameter_count(nn::parameters(*model_));
}

void AskOptions::declare(Options& options) {
  options.add("top", top, "answers shown, the likeliest first").range(1, 100'000);
}

StoryAnswer Asker::ask_input(const Input& input, const AskOptions& options) const {
  if (input.second.empty()) {
    throw UsageError(
        "there is no question; give the story as the text and the question as the second text");
  }
  return ask(text::story_sentences(input.text), input.second, options);
}

std::vector<std::vector<Answer>> Asker::run(std::span<const Input> inputs,
                                            const Settings& settings) const {
  AskOptions options;
  Options list;
  options.declare(list);
  set(list, settings);
  std::vector<std::vector<Answer>> answers;
  for (const Input& input : inputs) answers.push_back(ask_input(input, options).answers);
  return answers;
}

std::vector<insight::TracedExample> Asker::trace(std::span<const Input> inputs,
                                                 const Settings& settings) const {
  AskOptions options;
  Options list;
  options.declare(list);
  set(list, settings);
  std::vector<insight::TracedExample> examples;
  for (const Input& input : inputs) examples.push_back(traced(ask_input(input, options)));
  return examples;
}

void Asker::measure(std::span<const std::string> files, ComparedModel& contestant) const {
  require_files(files, 1, "memory networks take one: stories with questions");
  StoryTable table(*tokeniser_);
  std::vector<AskedQuestion> questions;
  for (const text::Story& story : text::read_stories(files[0])) {
    for (const text::StoryQuestion& question : story.questions) {
      questions.push_back(
          table.add(story, question, {sizes_, options_.memories, options_.candidates}, files[0]));
    }
  }
  const Stopwatch watch;
  const std::vector<QuestionRead> read = read_questions(*model_, table, questions, sizes_);
  watch.stop(contestant);
  std::vector<double> wrong, ones(questions.size(), 1);
  for (std::size_t i = 0; i < questions.size(); ++i) {
    wrong.push_back(read[i].best == questions[i].answer ? 0 : 1);
  }
  contestant.sentences = questions.size();
  contestant.unit = "questions/s";
  contestant.units = static_cast<double>(questions.size());
  contestant.measures = {ratio("error %", wrong, ones, percent)};
  contestant.measures.back().lower_is_better = true;
}

}  // namespace heed::pipeline
