// SPDX-License-Identifier: Apache-2.0
// A recogniser as one model among others: what it is asked whatever its kind.
#include "heed/base/error.h"
#include "heed/pipeline/measure.h"
#include "heed/pipeline/recognise/strip_reader.h"

namespace heed::pipeline {

std::int64_t StripReader::parameter_count() const {
  return nn::parameter_count(nn::parameters(*model_));
}

// Frames are cut apart by white space.
std::int64_t StripReader::length(std::string_view text) const {
  std::int64_t words = 0;
  bool inside = false;
  for (const char letter : text) {
    const bool space = letter == ' ' || letter == '\t' || letter == ';' || letter == '\n';
    if (!space && !inside) ++words;
    inside = !space;
  }
  return words + 1;
}

corpora::Strip StripReader::parsed(const std::string& text) const {
  try {
    return corpora::parse_strip_line(text, learnt_.form(), "strip");
  } catch (const DataError& error) {
    throw UsageError("{}", error.what());
  }
}

std::vector<std::vector<Answer>> StripReader::run(std::span<const Input> inputs,
                                                  const Settings& settings) const {
  StripSearch search;
  Options list;
  search.declare(list);
  set(list, settings);
  std::vector<corpora::Strip> strips;
  for (const Input& input : inputs) strips.push_back(parsed(input.text));
  std::vector<std::vector<Answer>> answers;
  for (const FoundLabels& found : read(strips, search)) {
    answers.push_back({{text(found.labels), found.log_probability}});
  }
  return answers;
}

std::vector<insight::TracedExample> StripReader::trace(std::span<const Input> inputs,
                                                       const Settings& settings) const {
  StripSearch search;
  Options list;
  search.declare(list);
  set(list, settings);
  std::vector<insight::TracedExample> examples;
  for (const Input& input : inputs) examples.push_back(traced(look(parsed(input.text), search)));
  return examples;
}

void StripReader::measure(std::span<const std::string> files, ComparedModel& contestant) const {
  require_files(files, 1, "recognisers take one: strips with labels");
  const std::vector<corpora::Strip> strips =
      corpora::read_strips(files[0], learnt_.form(), [&](const corpora::Strip& strip) {
        return strip.labelled ? problem_of(strip)
                              : "a strip without labels to compare with; put \"labels: ...\" on "
                                "the line before its first frame";
      });
  const Stopwatch watch;
  const std::vector<FoundLabels> found = read(strips);
  watch.stop(contestant);
  std::vector<double> edits, labels, ones(strips.size(), 1), right;
  for (std::size_t i = 0; i < strips.size(); ++i) {
    edits.push_back(static_cast<double>(label_edits(strips[i].labels, found[i].labels)));
    labels.push_back(static_cast<double>(strips[i].labels.size()));
    right.push_back(edits.back() == 0 ? 1 : 0);
    contestant.units += static_cast<double>(strips[i].frames());
  }
  contestant.sentences = strips.size();
  contestant.unit = "frames/s";
  contestant.measures = {ratio("label error %", edits, labels, percent),
                         ratio("right %", right, ones, percent)};
  contestant.measures.front().lower_is_better = true;
}

}  // namespace heed::pipeline
