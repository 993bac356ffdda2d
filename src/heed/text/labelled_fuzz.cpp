// SPDX-License-Identifier: Apache-2.0
// Fuzz target of labelled texts: the first line names the form, the others are read by it.
#include "heed/text/labelled.h"

#include "heed/base/fuzzing.h"
#include "heed/base/text.h"

namespace heed::test {
namespace {

// "tsv", "tsv2" for two aspects, "pairs" for a second text, "labelled", "trees", "phrases".
text::LabelledForm form_of(std::string_view name) {
  using text::LabelledFormat;
  if (name == "tsv2") return {.aspects = 2};
  if (name == "pairs") return {.second = true};
  if (name == "labelled") return {.format = LabelledFormat::labelled};
  if (name == "trees") return {.format = LabelledFormat::trees};
  if (name == "phrases") return {.format = LabelledFormat::trees, .phrases = true};
  if (name == "tsv") return {};
  throw DataError("no form \"{}\"", name);
}

text::Labels known_labels() {
  text::Labels labels(std::vector<std::string>{"label"});
  for (const char* name : {"negative", "positive", "a", "b"}) {
    labels.add(std::vector<std::string>{name});
  }
  return labels;
}

bool read_labelled(std::string_view bytes) {
  static const auto tokeniser =
      text::train_tokeniser({.kind = text::TokeniserKind::words},
                            std::vector<std::string>{"one witty film . is it ? no !"});
  static const text::Labels labels = known_labels();
  static MemoryFile file;
  const std::size_t end = bytes.find('\n');
  if (end == bytes.npos) return false;
  file.hold(bytes.substr(end + 1));
  return accepted([&] {
    const text::LabelledForm form = form_of(bytes.substr(0, end));
    const text::LabelledEncoder encoder{.tokeniser = tokeniser.get(),
                                        .labels = &labels,
                                        .form = form,
                                        .shape = text::TextShape::document,
                                        .limit = {.max_length = 5, .too_long = text::TooLong::crop},
                                        .name = "input"};
    text::PairReader lines({.source = file.path(), .columns = text::Columns::source});
    for (text::LinePair line; lines.next(line);) {
      for (const text::LabelledText& one :
           text::labelled_texts(form, line.source, "input", line.line)) {
        require(one.labels.size() == form.aspects, "a label is missing");
        for (const std::string& label : one.labels) require(!label.empty(), "an empty label");
      }
      if (form.aspects > 1) continue;
      for (const text::TokenPair& pair : encoder(line).pairs) {
        require(!pair.source.empty() && pair.source.size() <= 6, "a text is not cropped");
        require(pair.source.back() == text::kEnd, "a text without its end");
      }
    }
  });
}

const FuzzTarget kLabelled("labelled", read_labelled);

}  // namespace
}  // namespace heed::test
