// SPDX-License-Identifier: Apache-2.0
// What looks like a mistake in data, said in words with what to do about it.
#include <algorithm>

#include "heed/base/text.h"
#include "heed/text/data_check.h"

namespace heed::text {
namespace {

std::string counted(std::uint64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

// Labels that hardly repeat, where texts are no longer than they are. Whether it was said.
bool suspect_columns(const PartCheck& part, std::vector<std::string>& found) {
  const Aspect& aspect = part.classes.front();
  const std::uint64_t labels = aspect.classes.size();
  // Where there are too many to count, how many there are is not known.
  if (labels <= 10 || (!part.many_classes && labels * 5 < part.texts)) return false;
  const LabelledForm& form = *part.part.labelled;
  const bool swapped = part.label_words > part.words.total() || part.words.most() <= 2;
  std::string remedy = "--label-column and --text-column choose others";
  if (swapped && form.is_table() && form.places.size() == 2 && form.columns == 2) {
    remedy = fmt::format("--label-column {} --text-column {} reads them the other way round",
                         form.places[1] + 1, form.places[0] + 1);
  }
  found.push_back(fmt::format(
      "{}{} labels for {} texts: {}? {}{}", part.many_classes ? "more than " : "", labels,
      part.texts, swapped ? "are the columns swapped" : "is that column a label",
      form.chosen().empty() ? "" : "Read is: " + form.chosen() + "; ", remedy));
  return true;
}

// A first row that has labels of its own where all others share theirs.
void suspect_header(const PartCheck& part, std::vector<std::string>& found) {
  if (part.part.labelled->header || !part.part.labelled->is_table() || part.texts < 10) return;
  for (std::size_t i = 0; i < part.classes.size() && i < part.first_labels.size(); ++i) {
    const Aspect& aspect = part.classes[i];
    const std::int32_t mine = aspect.find(part.first_labels[i]);
    if (mine < 0 || aspect.counts[static_cast<std::size_t>(mine)] > 1) return;
    const auto single = std::ranges::count(aspect.counts, std::uint64_t{1});
    if (single > 1) return;
  }
  if (part.first_labels.empty()) return;
  found.push_back(
      fmt::format("the first row is read as a text with the label \"{}\", which no other has: does "
                  "it name the columns? Then give --header yes",
                  join(part.first_labels, "\", \"")));
}

void suspect_classes(const PartCheck& part, std::vector<std::string>& found) {
  for (const Aspect& aspect : part.classes) {
    std::vector<std::string> single;
    for (std::size_t i = 0; i < aspect.classes.size(); ++i) {
      if (aspect.counts[i] == 1) single.push_back(shorten(aspect.classes[i], 30));
    }
    if (single.empty() || aspect.classes.size() * 5 >= part.texts) continue;
    const std::size_t all = single.size();
    if (all > 5) single.resize(5);
    found.push_back(fmt::format(
        "{} one text only: \"{}\"{}; a class takes many to be learnt: give more, or join classes",
        all == 1 ? "a class has" : fmt::format("{} classes have", all), join(single, "\", \""),
        all > 5 ? ", ..." : ""));
  }
}

// Of what is in every corpus a little.
bool more_than_a_little(std::uint64_t count, std::uint64_t of) {
  return count > 0 && count * 100 > of;
}

}  // namespace

std::vector<std::string> suspicions(const PartCheck& part) {
  std::vector<std::string> found;
  if (part.part.labelled && !part.classes.empty() && part.texts > 0) {
    // All else would follow from it.
    if (suspect_columns(part, found)) return found;
    suspect_header(part, found);
    if (part.part.role == "training") suspect_classes(part, found);
    if (part.quoted.count > 0) {
      found.push_back(
          fmt::format("fields in quotes, which are kept: {}; if a spreadsheet wrote "
                      "them, give --quotes yes",
                      part.quoted.to_string()));
    }
  }
  const LineSketch& sketch = *part.sketch;
  const std::string about = sketch.kept_one_in() > 1 ? "about " : "";
  if (sketch.repeated() * 2 > part.texts) {
    found.push_back(fmt::format("{}{} of {} texts come again: are lines repeated by mistake?",
                                about, sketch.repeated(), part.texts));
  }
  if (part.part.labelled && more_than_a_little(sketch.contradicting(), part.texts)) {
    found.push_back(fmt::format(
        "{}{} with another label than the same text has before (line{} {}{}): which is right?",
        about, counted(sketch.contradicting(), "text", "texts"),
        sketch.contradicting() == 1 ? "" : "s", fmt::join(sketch.first_contradicting(), ", "),
        sketch.contradicting() > sketch.first_contradicting().size() ? ", ..." : ""));
  }
  if (more_than_a_little(part.shared.count, part.compared)) {
    found.push_back(fmt::format(
        "{} of {} texts are in the training data too (line{} {}{}), so that they tell little: "
        "leave them out of one",
        part.shared.count, part.compared, part.shared.count == 1 ? "" : "s",
        fmt::join(part.shared.first, ", "),
        part.shared.count > part.shared.first.size() ? ", ..." : ""));
  }
  if (more_than_a_little(part.unequal.count, part.texts)) {
    found.push_back(
        fmt::format("pairs whose lengths differ far more than others': {}; are they translations?",
                    part.unequal.to_string()));
  }
  if (part.too_long.count > 0) {
    found.push_back(
        fmt::format("very long texts: {}; are these several, without line breaks? "
                    "--max-length bounds what a training reads of a text",
                    part.too_long.to_string()));
  }
  if (part.control.count > 0) {
    found.push_back(fmt::format("control characters: {}; remove them, for example with {}",
                                part.control.to_string(),
                                "`tr -d '\\000-\\010\\013\\014\\016-\\037'`"));
  }
  if (part.replaced.count > 0) {
    found.push_back(
        fmt::format("U+FFFD, which a conversion left where it failed: {}; convert the "
                    "original again",
                    part.replaced.to_string()));
  }
  return found;
}

}  // namespace heed::text
