// SPDX-License-Identifier: Apache-2.0
// The verb `explain`: how much each word speaks for what a model says, by several explainers side
// by side, and how far these agree.
#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/output_files.h"
#include "cli/verb.h"
#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/base/threads.h"
#include "heed/explain/explainer.h"
#include "heed/insight/draw/shares_picture.h"
#include "heed/insight/page/page.h"
#include "heed/insight/terminal/highlight.h"
#include "heed/insight/trace/label.h"
#include "heed/insight/trace/trace_file.h"
#include "heed/pipeline/explanations.h"
#include "heed/pipeline/model.h"
#include "heed/pipeline/model_kind.h"

namespace heed::cli {
namespace {

using nlohmann::json;
using pipeline::Explanations;

struct ExplainVerb {
  std::string model;
  std::string text;
  std::string second;
  pipeline::ExplainCall call;
  std::string svg;
  std::string html;
  std::string trace;
  bool list_methods = false;
  bool show = false;
  bool as_json = false;
  int threads = 0;
  OutputFiles files;
  Options list;

  ExplainVerb() {
    list.add("model", model, "model folder").letter('m').kind("FOLDER");
    list.add("text", text, "the text whose answer is explained");
    list.add("second", second,
             "the other text of a pair; of models that write what was written, instead of their "
             "own");
    list.add("method", call.methods,
             "explainers, with options as \"shapley(samples=200)\"; none named: "
             "leave_one_out, shapley, integrated_gradients, gradient_input, attention, "
             "attention_gradient and of several layers rollout and relevance, as far as the model "
             "has what they need");
    list.add("aspect", call.target.aspect, "which answer is explained, of a model with several");
    list.add("target", call.target.label,
             "the class that is explained; of models that write or fill in a step from 1 on, a "
             "word, or STEP=WORD; none: what the model says, and every step of what it writes");
    list.add("methods", list_methods, "list the explainers and what each promises");
    list.add("show", show, "coloured text in the terminal, as without --svg, --html and --json");
    list.add("svg", svg, "write a picture").kind("FILE");
    list.add("html", html, "write a page for the browser").kind("FILE");
    list.add("trace", trace, "write a trace: FILE.json or FILE.safetensors").kind("FILE");
    list.add("json", as_json, "write JSON");
    list.add("threads", threads, "threads to compute with; 0: one per core").range(0, 1024);
    files.declare(list);
  }
};

// Words that are shown for a step, which are masked where it has no shares.
void show_step(const Explanations& found, const explain::Explanation& step,
               const insight::Screen& screen) {
  if (step.undefined.empty()) {
    fmt::print("{}", insight::highlight(found.words, step.shares, screen));
  } else {
    fmt::print("  undefined: {}\n", step.undefined);
  }
}

void show_agreement(const Explanations& found) {
  const std::vector<Explanations::Method>& methods = found.methods;
  if (methods.size() < 2 || found.words.size() < 2) return;
  fmt::print("\nKendall's tau between their orders (* where p is at most .05)\n{:26}", "");
  for (std::size_t i = 1; i < methods.size(); ++i) fmt::print("{:>6} ", i);
  std::size_t row = 0;
  for (const pipeline::Agreement& one : pipeline::agreements(found)) {
    if (one.second != row) {
      row = one.second;
      fmt::print("\n{:>3} {:22}", row + 1, methods[row].written);
    }
    fmt::print("{:>6}{}", one.found ? fmt::format("{:+.2f}", one.found->tau) : "-",
               one.found && one.found->p <= .05 ? "*" : " ");
  }
  fmt::print("\n");
}

void show(const Explanations& found) {
  const insight::Screen screen = insight::screen_of(STDOUT_FILENO);
  if (found.written()) {
    fmt::print("written: {}\n", insight::label_of_line(join(found.pieces, " ")));
  } else {
    const Explanations::Step& step = found.steps.front();
    fmt::print("{}, probability {:.3f}, score {:.3f}\n", insight::label_of_line(step.target),
               step.probability, step.output);
  }
  std::size_t number = 0;
  for (const Explanations::Method& one : found.methods) {
    fmt::print("\n{} {}\n", ++number, one.written);
    for (std::size_t i = 0; i < one.steps.size(); ++i) {
      if (found.written()) {
        fmt::print("  {}\n", insight::label_of_line(found.steps[i].target));
      }
      show_step(found, one.steps[i], screen);
    }
    if (const std::string& note = one.steps.front().note; !note.empty()) {
      fmt::print("  {}\n", note);
    }
  }
  show_agreement(found);
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
  if (!verb.trace.empty()) insight::check_trace_name(verb.trace);
  for (const std::string& file : {verb.svg, verb.html, verb.trace}) verb.files.check(file);
  if (verb.threads > 0) set_threads(verb.threads);
  const std::unique_ptr<pipeline::Model> model = pipeline::open_model(verb.model);
  const Explanations found =
      pipeline::explanations(*model, {.text = verb.text, .second = verb.second}, verb.call);
  const insight::TraceDocument document{
      .model = verb.model, .task = model->kind().name, .examples = {traced(found, verb.text)}};
  if (!verb.trace.empty()) insight::write_trace(verb.trace, document);
  if (!verb.svg.empty()) verb.files.write(verb.svg, insight::svg_of_shares(document));
  if (!verb.html.empty()) verb.files.write(verb.html, insight::page(document));
  const bool writes = !verb.svg.empty() || !verb.html.empty() || !verb.trace.empty();
  if (verb.as_json) {
    fmt::print("{}\n", pipeline::explanations_json(found));
  } else if (verb.show || !writes) {
    show(found);
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
         "Each explainer gives every word a signed number: how much it speaks for the class, the "
         "step of a translation or the word in a gap that is explained. Where explainers disagree, "
         "at most one of them can be right; random and uniform are controls.",
     .example =
         "heed explain --model model --text \"the staff was rude but the rooms were clean\"\n"
         "heed explain --model model --text \"a gorgeous , witty film\" --method attention "
         "leave_one_out \"shapley(samples=200)\" random\n"
         "heed explain --methods",
     .setup = set_up});

}  // namespace
}  // namespace heed::cli
