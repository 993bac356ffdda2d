// SPDX-License-Identifier: Apache-2.0
// `heed communicate`: whether somebody who sees a few words of a text can tell what the classifier
// said of it.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/verb.h"
#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/base/threads.h"
#include "heed/pipeline/classify/classify_quality.h"
#include "heed/pipeline/classify/communication.h"

namespace heed::cli {
namespace {

struct CommunicateVerb {
  std::string model;
  std::string train;
  std::string data;
  std::string aspect;
  std::int64_t texts = 3000;
  int threads = 0;
  bool json = false;
  text::LabelledOptions labelled;
  pipeline::CommunicationOptions options;
  Options list;

  CommunicateVerb() {
    list.add("model", model, "model folder that heed train classify wrote")
        .letter('m')
        .kind("FOLDER")
        .required();
    list.add("train", train, "labelled texts on which the layperson learns")
        .kind("FILE")
        .required();
    list.add("data", data, "labelled texts on which it is judged").kind("FILE").required();
    labelled.declare(list, "of both, as in training unless it is said here");
    list.add("aspect", aspect, "the aspect that is explained; none: the first");
    list.add("texts", texts, "most texts of --train that are explained; 0: all").at_least(0);
    options.declare(list);
    list.add("threads", threads, "threads to compute with; 0: one per core").range(0, 1024);
    list.add("json", json, "write JSON, an object per explainer");
  }
};

void print(const pipeline::Communications& found, bool json) {
  if (!json) {
    fmt::print("the classifier is right about {:.3f} of the texts\n\n", found.classifier_accuracy);
    fmt::print("{:12}{:>9}{:>12}{:>8}\n", "explainer", "success", "and truth", "words");
  }
  for (const pipeline::Communication& one : found.all) {
    if (json) {
      fmt::print("{}\n", nlohmann::json{{"explainer", one.explainer},
                                        {"success", one.success},
                                        {"layperson_accuracy", one.layperson_accuracy},
                                        {"words", one.words},
                                        {"classifier_accuracy", found.classifier_accuracy}}
                             .dump());
    } else {
      fmt::print("{:12}{:>9.3f}{:>12.3f}{:>8.1f}\n", one.explainer, one.success,
                 one.layperson_accuracy, one.words);
    }
  }
}

void run(CommunicateVerb& verb) {
  for (const auto& [name, value] :
       {std::pair("model", &verb.model), std::pair("train", &verb.train),
        std::pair("data", &verb.data)}) {
    if (value->empty()) throw UsageError("--{}: it is needed; see heed communicate --help", name);
  }
  if (verb.threads > 0) set_threads(verb.threads);
  const pipeline::Classifier classifier(verb.model);
  verb.options.aspect = classifier.aspect_called(verb.aspect);
  const auto read = [&](const std::string& file) {
    return pipeline::read_labelled(file, classifier.form(file, verb.labelled), classifier.labels());
  };
  std::vector<text::LabelledText> train = read(verb.train);
  const std::vector<text::LabelledText> test = read(verb.data);
  if (verb.texts > 0 && static_cast<std::int64_t>(train.size()) > verb.texts) {
    train.resize(static_cast<std::size_t>(verb.texts));
  }
  print(pipeline::communicate(classifier, train, test, verb.options), verb.json);
}

Action set_up(CommandLine& line) {
  auto verb = std::make_shared<CommunicateVerb>();
  return line.with_options(verb->list, [verb] { run(*verb); });
}

const ListedVerb kListed(
    {.name = "communicate",
     .summary = "Find out whether a few words of a text tell what a classifier said of it",
     .description =
         "An explainer names at most --words words of each text. A layperson, a linear classifier "
         "of these words, learns to guess the classifier's answer from them. How often it succeeds "
         "says how much the words explain (Treviso & Martins 2020); random words are the control, "
         "all words what the layperson could know at most.",
     .example =
         "heed communicate --model model --train data/train.tsv --data data/test.tsv --words 3\n"
         "heed communicate --model kept --train data/train.tsv --data data/test.tsv "
         "--explainers random selective all",
     .setup = set_up});

}  // namespace
}  // namespace heed::cli
