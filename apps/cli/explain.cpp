// SPDX-License-Identifier: Apache-2.0
// The verb `explain`: how much each word speaks for what a model says, by several explainers side
// by side, and how far these agree.
#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/verb.h"
#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/base/threads.h"
#include "heed/explain/explainer.h"
#include "heed/insight/terminal/highlight.h"
#include "heed/metrics/rank_correlation.h"
#include "heed/pipeline/model.h"

namespace heed::cli {
namespace {

using nlohmann::json;

struct ExplainVerb {
  std::string model;
  std::string text;
  std::string second;
  std::vector<std::string> methods;
  pipeline::ExplainedTarget target;
  bool list_methods = false;
  bool as_json = false;
  int threads = 0;
  Options list;

  ExplainVerb() {
    list.add("model", model, "model folder").letter('m').kind("FOLDER");
    list.add("text", text, "the text whose answer is explained");
    list.add("second", second, "the other text of a pair");
    list.add("method", methods,
             "explainers, with options as \"shapley(samples=200)\"; none named: "
             "leave_one_out, shapley, integrated_gradients, gradient_input, attention and "
             "attention_gradient, as far as the model has what they need");
    list.add("aspect", target.aspect, "which answer is explained, of a model with several");
    list.add("target", target.label, "the class that is explained; none: the one the model says");
    list.add("methods", list_methods, "list the explainers and what each promises");
    list.add("json", as_json, "write JSON");
    list.add("threads", threads, "threads to compute with; 0: one per core").range(0, 1024);
  }
};

struct Method {
  std::string written;
  explain::Explanation found;
};

std::vector<std::string> chosen(const ExplainVerb& verb, const explain::Subject& subject) {
  if (!verb.methods.empty()) return verb.methods;
  std::vector<std::string> suitable;
  for (const char* name : {"leave_one_out", "shapley", "integrated_gradients", "gradient_input",
                           "attention", "attention_gradient"}) {
    if (explain::make_explainer(name)->suits(subject)) suitable.emplace_back(name);
  }
  return suitable;
}

// Between every two that have shares; nothing where one is constant.
struct Agreement {
  std::size_t first = 0, second = 0;
  std::optional<metrics::RankCorrelation> found{};
};
std::vector<Agreement> agreements(const std::vector<Method>& methods) {
  std::vector<Agreement> all;
  for (std::size_t i = 0; i < methods.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const std::vector<double>&a = methods[j].found.shares, &b = methods[i].found.shares;
      all.push_back({j, i, {}});
      if (!a.empty() && !b.empty()) all.back().found = metrics::kendall(a, b);
    }
  }
  return all;
}

json to_json(const pipeline::Explained& explained, const std::vector<Method>& methods) {
  json object = {{"target", explained.target},
                 {"probability", explained.probability},
                 {"output", explained.subject->output()},
                 {"words", explained.words},
                 {"methods", json::array()},
                 {"agreement", json::array()}};
  for (const Method& one : methods) {
    json& mine = object["methods"].emplace_back(json{{"method", one.written}});
    if (!one.found.undefined.empty()) {
      mine["undefined"] = one.found.undefined;
      continue;
    }
    mine["shares"] = one.found.shares;
    if (!one.found.errors.empty()) mine["standard_errors"] = one.found.errors;
  }
  for (const Agreement& one : agreements(methods)) {
    object["agreement"].push_back({{"first", methods[one.first].written},
                                   {"second", methods[one.second].written},
                                   {"tau", one.found ? json(one.found->tau) : json()},
                                   {"p", one.found ? json(one.found->p) : json()}});
  }
  return object;
}

void show(const pipeline::Explained& explained, const std::vector<Method>& methods) {
  const insight::Screen screen = insight::screen_of(STDOUT_FILENO);
  fmt::print("{}, probability {:.3f}, score {:.3f}\n", explained.target, explained.probability,
             explained.subject->output());
  std::size_t number = 0;
  for (const Method& one : methods) {
    fmt::print("\n{} {}\n", ++number, one.written);
    if (one.found.undefined.empty()) {
      fmt::print("{}", insight::highlight(explained.words, one.found.shares, screen));
    } else {
      fmt::print("  undefined: {}\n", one.found.undefined);
    }
  }
  if (methods.size() < 2 || explained.words.size() < 2) return;
  fmt::print("\nKendall's tau between their orders (* where p is at most .05)\n{:26}", "");
  for (std::size_t i = 1; i < methods.size(); ++i) fmt::print("{:>6} ", i);
  std::size_t row = 0;
  for (const Agreement& one : agreements(methods)) {
    if (one.second != row) {
      row = one.second;
      fmt::print("\n{:>3} {:22}", row + 1, methods[row].written);
    }
    fmt::print("{:>6}{}", one.found ? fmt::format("{:+.2f}", one.found->tau) : "-",
               one.found && one.found->p <= .05 ? "*" : " ");
  }
  fmt::print("\n");
}

void print_methods(bool as_json) {
  for (const explain::ExplainerCard& card : explain::explainers()) {
    std::vector<std::string> promises;
    for (const explain::Promise one : card.promises) {
      promises.push_back(explain::promise_text(one));
    }
    if (as_json) {
      fmt::print("{}\n", json{{"name", card.name},
                              {"summary", card.summary},
                              {"formula", card.formula},
                              {"source", card.source},
                              {"promises", promises}}
                             .dump());
      continue;
    }
    fmt::print("{:22}{}\n{:22}{}{}\n", card.name, card.summary, "", card.formula,
               card.source.empty() ? "" : fmt::format("  ({})", card.source));
    if (!promises.empty()) fmt::print("{:22}{}\n", "", join(promises, "; "));
  }
}

void run(const ExplainVerb& verb) {
  if (verb.list_methods) return print_methods(verb.as_json);
  for (const auto& [name, value] : {std::pair("model", &verb.model), {"text", &verb.text}}) {
    if (value->empty()) throw UsageError("--{}: it is needed; see heed explain --help", name);
  }
  if (verb.threads > 0) set_threads(verb.threads);
  const std::unique_ptr<pipeline::Model> model = pipeline::open_model(verb.model);
  const pipeline::Explained explained =
      model->explained({.text = verb.text, .second = verb.second}, verb.target);
  std::vector<Method> methods;
  for (const std::string& written : chosen(verb, *explained.subject)) {
    methods.push_back({written, explain::make_explainer(written)->explain(*explained.subject)});
  }
  if (verb.as_json) {
    fmt::print("{}\n", to_json(explained, methods).dump());
  } else {
    show(explained, methods);
  }
}

Action set_up(CommandLine& line) {
  auto verb = std::make_shared<ExplainVerb>();
  return line.with_options(verb->list, [verb] { run(*verb); });
}

const ListedVerb kListed(
    {.name = "explain",
     .summary = "Show how much each word speaks for what a model says, by several explainers",
     .description =
         "Each explainer gives every word a signed number: how much it speaks for the class that "
         "is explained. Where explainers disagree, at most one of them can be right; random and "
         "uniform are controls.",
     .example =
         "heed explain --model model --text \"the staff was rude but the rooms were clean\"\n"
         "heed explain --model model --text \"a gorgeous , witty film\" --method attention "
         "leave_one_out \"shapley(samples=200)\" random\n"
         "heed explain --methods",
     .setup = set_up});

}  // namespace
}  // namespace heed::cli
