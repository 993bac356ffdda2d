// SPDX-License-Identifier: Apache-2.0
// Labels, aspects and probabilities with tabs between them, so that other programs can cut them.
#include "cli/classify/classify_output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "heed/base/text.h"
#include "heed/insight/terminal/highlight.h"

namespace heed::cli {
namespace {

using nlohmann::json;

json number(double value) {
  return std::isnan(value) ? json() : json(value);
}

std::string written(double value) {
  return std::isnan(value) ? "n/a" : fmt::format("{:.4f}", value);
}

json as_json(const pipeline::Classification& found, const text::Labels& labels) {
  json object = {{"words", found.words}, {"aspects", json::array()}};
  if (!found.heads.empty()) object["heads"] = found.heads;
  for (std::size_t i = 0; i < found.aspects.size(); ++i) {
    const pipeline::Prediction& prediction = found.aspects[i];
    json probabilities = json::object();
    const text::Aspect& aspect = labels.aspects()[i];
    for (std::size_t c = 0; c < aspect.classes.size(); ++c) {
      probabilities[aspect.classes[c]] = prediction.probabilities[c];
    }
    object["aspects"].push_back({{"aspect", prediction.aspect},
                                 {"label", prediction.label},
                                 {"unknown", prediction.unknown},
                                 {"probability", prediction.probability},
                                 {"probabilities", probabilities},
                                 {"attention", prediction.attention}});
  }
  return object;
}

json as_json(const pipeline::AspectQuality& quality) {
  const metrics::Confusion& confusion = quality.confusion;
  json object = {{"aspect", quality.aspect},           {"texts", confusion.examples()},
                 {"accuracy", confusion.accuracy()},   {"macro_f1", confusion.macro().f1},
                 {"roc_auc", number(quality.roc_auc)}, {"classes", json::object()}};
  object["calibration_error"] = metrics::calibration_error(quality.judged);
  if (quality.answered) {
    object["answered"] = {{"share", quality.answered->share},
                          {"accuracy", number(quality.answered->accuracy)}};
  }
  for (std::size_t i = 0; i < confusion.classes().size(); ++i) {
    const metrics::ClassQuality mine = confusion.of(i);
    json found = json::object();
    for (std::size_t j = 0; j < confusion.classes().size(); ++j) {
      found[confusion.classes()[j]] = confusion.count(i, j);
    }
    object["classes"][confusion.classes()[i]] = {{"precision", mine.precision},
                                                 {"recall", mine.recall},
                                                 {"f1", mine.f1},
                                                 {"texts", mine.support},
                                                 {"found", found}};
  }
  return object;
}

json as_json(const pipeline::RationaleQuality& rationale) {
  return {{"kept", number(rationale.share)},
          {"runs", number(rationale.runs)},
          {"precision", number(rationale.precision)},
          {"recall", number(rationale.recall)},
          {"f1", number(rationale.f1)}};
}

json as_json(const pipeline::TreeQuality& trees) {
  return {{"attachment", trees.attachment()},
          {"whole", trees.whole / trees.trees},
          {"left_branching", trees.left_branching / trees.words},
          {"right_branching", trees.right_branching / trees.words}};
}

void print_trees(const pipeline::TreeQuality& trees) {
  fmt::print(
      "trees: {:.4f} of the heads, {:.4f} of the trees; each word on the next {:.4f}, each "
      "on the one before {:.4f}\n",
      trees.attachment(), trees.whole / trees.trees, trees.left_branching / trees.words,
      trees.right_branching / trees.words);
}

void print_rationale(const pipeline::RationaleQuality& rationale) {
  fmt::print("kept {} of the words, {} runs of words in a text\n", written(rationale.share),
             written(rationale.runs));
  if (std::isnan(rationale.recall)) return;
  fmt::print("evidence: precision {}, recall {}, F1 {}\n", written(rationale.precision),
             written(rationale.recall), written(rationale.f1));
}

}  // namespace

void ClassifyOutput::declare(Options& options) {
  options.add("probabilities", probabilities, "write the probability of every class");
  options.add("highlight", highlight,
              "show the text with attention, or what a rationale keeps, as its background, or as "
              "numbers where there are no colours");
  options.add("json", json, "write JSON, one object per line, attention included");
}

void print_classification(const pipeline::Classification& found, const text::Labels& labels,
                          const ClassifyOutput& options) {
  if (options.json) {
    fmt::print("{}\n", as_json(found, labels).dump());
    return;
  }
  for (std::size_t i = 0; i < found.aspects.size(); ++i) {
    const pipeline::Prediction& prediction = found.aspects[i];
    const text::Aspect& aspect = labels.aspects()[i];
    std::string line = found.aspects.size() > 1 ? prediction.aspect + "\t" : "";
    const std::string label = prediction.label.empty() ? "-"
                              : prediction.unknown     ? pipeline::kUnknownLabel
                                                       : prediction.label;
    line += fmt::format("{}\t{:.3f}", label, prediction.probability);
    for (std::size_t c = 0; options.probabilities && c < aspect.classes.size(); ++c) {
      line += fmt::format("\t{}={:.4f}", aspect.classes[c], prediction.probabilities[c]);
    }
    fmt::print("{}\n", line);
    if (options.highlight && found.words.empty()) {
      fmt::print("\n");
    } else if (options.highlight) {
      fmt::print("{}", insight::highlight(found.words, prediction.attention,
                                          insight::screen_of(STDOUT_FILENO)));
    }
  }
}

void print_quality(const std::vector<pipeline::AspectQuality>& all, const ShownQuality& shown,
                   const ClassifyOutput& options) {
  const std::vector<double>& evidence = shown.evidence;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const pipeline::AspectQuality& quality = all[i];
    if (options.json) {
      json object = as_json(quality);
      if (i < evidence.size()) object["evidence_found"] = number(evidence[i]);
      if (i < shown.rationales.size()) object["rationale"] = as_json(shown.rationales[i]);
      if (shown.trees) object["trees"] = as_json(*shown.trees);
      fmt::print("{}\n", object.dump());
      continue;
    }
    if (all.size() > 1) fmt::print("{}{}\n", i > 0 ? "\n" : "", quality.aspect);
    fmt::print("{} texts, accuracy {:.4f}, macro F1 {:.4f}, ROC-AUC {}\n",
               quality.confusion.examples(), quality.confusion.accuracy(),
               quality.confusion.macro().f1, written(quality.roc_auc));
    fmt::print("calibration error {:.4f}\n", metrics::calibration_error(quality.judged));
    if (quality.answered) {
      fmt::print("answered {:.4f} of the texts, {} of them correctly\n", quality.answered->share,
                 written(quality.answered->accuracy));
    }
    if (i < evidence.size()) {
      fmt::print("attention is highest on evidence in {} of the texts that have some\n",
                 written(evidence[i]));
    }
    if (i < shown.rationales.size()) print_rationale(shown.rationales[i]);
    if (shown.trees && i == 0) print_trees(*shown.trees);
    fmt::print("{}", quality.confusion.text());
  }
}

}  // namespace heed::cli
