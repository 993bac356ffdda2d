// SPDX-License-Identifier: Apache-2.0
// `heed view`: where a model looked, from a trace to a page for the browser.
#include <fmt/format.h>

#include <memory>

#include "cli/options_cli.h"
#include "cli/verb.h"
#include "cli/view_gold.h"
#include "cli/view_input.h"
#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/text.h"
#include "heed/insight/page.h"

namespace heed::cli {
namespace {

struct ViewVerb {
  std::string what;
  std::string html;
  std::string title;
  int precision = 8;
  int examples = 0;
  ViewInput input;
  ViewGold gold;
  Options list;

  ViewVerb() {
    list.add("html", html, "write a page for the browser to this file");
    list.add("title", title, "of the page; empty: the model's name");
    list.add("precision", precision, "bits that the page keeps of a weight: 8 or 16").range(8, 16);
    list.add("examples", examples, "show the first so many only; 0: all").range(0, 1 << 30);
    input.declare(list);
    gold.declare(list);
  }
};

void run(const ViewVerb& verb) {
  if (verb.html.empty() && !verb.gold.wanted()) {
    throw UsageError("nothing says what to make of {}: --html FILE writes a page", verb.what);
  }
  insight::TraceDocument document = verb.input.read(verb.what);
  if (verb.gold.wanted()) verb.gold.compare(document, verb.input);
  if (verb.html.empty()) return;
  const auto wanted = static_cast<std::size_t>(verb.examples);
  if (wanted > 0 && document.examples.size() > wanted) document.examples.resize(wanted);
  const std::string page =
      insight::page(document, {.title = verb.title, .precision = verb.precision});
  write_atomically(verb.html, page);
  fmt::print("{}: {} example{}, {}\n", verb.html, document.examples.size(),
             document.examples.size() == 1 ? "" : "s", human_bytes(page.size()));
}

Action setup(CLI::App& app) {
  auto verb = std::make_shared<ViewVerb>();
  app.add_option("TRACE_OR_MODEL", verb->what, "a trace file, or a model folder that reads --text")
      ->required()
      ->type_name("");
  return with_options(app, verb->list, [verb] { run(*verb); });
}

const ListedVerb kListed(
    {.name = "view",
     .summary = "See where a model looked: every head, layer and step",
     .description = "Reads a trace (JSON, safetensors, soft alignments of Marian, those of "
                    "Nematus), or lets a "
                    "model read a text, and writes one page with every head that opens in any "
                    "browser, without "
                    "a network. With --gold it says which head aligns words best.",
     .example = "heed view trace.json --html page.html\n"
                "heed view model --text \"the cat sleeps\" --html page.html\n"
                "heed view trace.json --gold data/test.align",
     .setup = setup});

}  // namespace
}  // namespace heed::cli
