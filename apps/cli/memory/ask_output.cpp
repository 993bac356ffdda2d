// SPDX-License-Identifier: Apache-2.0
// Columns of weights before the sentences they belong to.
#include "cli/memory/ask_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "heed/base/text.h"
#include "heed/insight/draw/picture.h"

namespace heed::cli {
namespace {

using nlohmann::ordered_json;
using pipeline::StoryQuality;
using pipeline::SupportQuality;

// .93, and 1.0 for what rounds to one.
std::string short_weight(double weight) {
  return weight >= .995 ? "1.0" : fmt::format("{:.2f}", weight).substr(1);
}

std::string weights_line(const std::vector<double>& weights, std::size_t hops) {
  std::string line;
  for (std::size_t hop = 0; hop < hops; ++hop) {
    line += fmt::format("{:>5} ", hop < weights.size() ? short_weight(weights[hop]) : "-");
  }
  return line;
}

ordered_json support_json(const SupportQuality& support) {
  ordered_json hops = ordered_json::array();
  for (const pipeline::HopQuality& hop : support.hops) {
    hops.push_back({{"top", hop.top}, {"mass", hop.mass}});
  }
  return {{"questions", support.questions},
          {"found", support.found},
          {"all_found", support.all_found},
          {"hops", std::move(hops)}};
}

std::string support_line(const char* which, const SupportQuality& support) {
  if (support.questions == 0) return "";
  std::string line = fmt::format("  of {} {} answers: found {:.3f}, all found {:.3f}; by hop",
                                 support.questions, which, support.found, support.all_found);
  for (std::size_t hop = 0; hop < support.hops.size(); ++hop) {
    line += fmt::format("{} {:.3f} (mass {:.3f})", hop == 0 ? "" : ",", support.hops[hop].top,
                        support.hops[hop].mass);
  }
  return line + "\n";
}

std::uint64_t passed(std::span<const StoryQuality> tasks) {
  return static_cast<std::uint64_t>(std::ranges::count_if(tasks, &StoryQuality::passes));
}

}  // namespace

std::string answer_text(const pipeline::StoryAnswer& answer) {
  std::string text = answer.question + "\n";
  for (const pipeline::Answer& one : answer.answers) {
    text += fmt::format("{:.3f}  {}\n", one.score, one.text);
  }
  const std::size_t hops = answer.nothing.size();
  for (std::size_t hop = 0; hop < hops; ++hop)
    text += fmt::format("{:>5} ", fmt::format("hop {}", hop + 1));
  text += '\n';
  for (const pipeline::RememberedSentence& sentence : answer.sentences) {
    text += fmt::format("{} {} {}\n", weights_line(sentence.weights, hops),
                        sentence.supports ? '*' : ' ', sentence.text);
  }
  text += fmt::format("{}   (empty slots)\n", weights_line(answer.nothing, hops));
  if (!answer.unknown.empty()) {
    text += fmt::format("unknown words, which read as nothing: {}\n", join(answer.unknown, ", "));
  }
  return text;
}

std::string answer_json(const pipeline::StoryAnswer& answer) {
  ordered_json answers = ordered_json::array();
  for (const pipeline::Answer& one : answer.answers) {
    answers.push_back({{"answer", one.text}, {"probability", one.score}});
  }
  ordered_json sentences = ordered_json::array();
  for (const pipeline::RememberedSentence& one : answer.sentences) {
    sentences.push_back({{"text", one.text}, {"weights", one.weights}, {"supports", one.supports}});
  }
  return ordered_json{{"question", answer.question},
                      {"answers", std::move(answers)},
                      {"sentences", std::move(sentences)},
                      {"nothing", answer.nothing},
                      {"unknown", answer.unknown}}
             .dump() +
         "\n";
}

std::string answer_svg(const pipeline::StoryAnswer& answer) {
  insight::TracedExample example = pipeline::Asker::traced(answer);
  insight::AttentionSet& set = example.attentions.front();
  std::swap(set.queries, set.keys);
  for (insight::TracedHead& head : set.heads) head.weights = head.weights.transpose().packed();
  std::string title = answer.question;
  for (const pipeline::Answer& one : answer.answers) {
    if (one.score >= .005) title += fmt::format("  {} {}", one.text, short_weight(one.score));
  }
  return insight::svg_picture({.model = {}, .task = {}, .examples = {std::move(example)}},
                              {.form = insight::PictureForm::matrix,
                               .title = title,
                               .caption = "How much each hop looked at each sentence; a star marks "
                                          "the facts that decide."});
}

std::string quality_text(std::span<const StoryQuality> tasks) {
  std::string text = "questions  error %  pass  task\n";
  for (const StoryQuality& task : tasks) {
    text += fmt::format("{:>9}  {:>7.1f}  {:<4}  {}\n", task.questions, 100 * task.error(),
                        task.passes() ? "yes" : "no", task.name);
  }
  text += fmt::format("mean error {:.1f} %, {} of {} pass\n", 100 * pipeline::mean_error(tasks),
                      passed(tasks), tasks.size());
  for (const StoryQuality& task : tasks) {
    if (task.right.questions + task.wrong_ones.questions == 0) continue;
    text += fmt::format("supporting facts under the largest weights{}:\n{}{}",
                        tasks.size() > 1 ? " of " + task.name : "",
                        support_line("right", task.right), support_line("wrong", task.wrong_ones));
  }
  return text;
}

std::string quality_json(std::span<const StoryQuality> tasks) {
  ordered_json all = ordered_json::array();
  for (const StoryQuality& task : tasks) {
    all.push_back({{"task", task.name},
                   {"questions", task.questions},
                   {"error", task.error()},
                   {"passes", task.passes()},
                   {"loss", task.loss},
                   {"right", support_json(task.right)},
                   {"wrong", support_json(task.wrong_ones)}});
  }
  return ordered_json{{"error", pipeline::mean_error(tasks)},
                      {"passed", passed(tasks)},
                      {"tasks", std::move(all)}}
             .dump() +
         "\n";
}

}  // namespace heed::cli
