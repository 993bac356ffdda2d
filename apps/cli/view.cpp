// SPDX-License-Identifier: Apache-2.0
// `heed view`: where a model looked, from a trace to a page for the browser.
#include <fmt/format.h>

#include <memory>

#include "cli/options_cli.h"
#include "cli/verb.h"
#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/text.h"
#include "heed/insight/page.h"
#include "heed/insight/trace_json.h"

namespace heed::cli {
namespace {

struct ViewVerb {
  std::string what;
  std::string html;
  std::string title;
  int precision = 8;
  int examples = 0;
  Options list;

  ViewVerb() {
    list.add("html", html, "write a page for the browser to this file");
    list.add("title", title, "of the page; empty: the model's name");
    list.add("precision", precision, "bits that the page keeps of a weight: 8 or 16").range(8, 16);
    list.add("examples", examples, "show the first so many only; 0: all").range(0, 1 << 30);
  }
};

void run(const ViewVerb& verb) {
  if (verb.html.empty()) {
    throw UsageError("nothing says what to make of {}: --html FILE writes a page", verb.what);
  }
  insight::TraceDocument document = insight::read_trace_json(verb.what);
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
  app.add_option("TRACE", verb->what, "a trace: a JSON file")->required()->type_name("");
  return with_options(app, verb->list, [verb] { run(*verb); });
}

const ListedVerb kListed(
    {.name = "view",
     .summary = "See where a model looked: every head, layer and step",
     .description =
         "Reads a trace, Heed's own JSON or {\"source\": [...], \"target\": [...], \"weights\": "
         "[[...]]}, and writes one page with every head that opens in any browser, without a "
         "network.",
     .example = "heed view trace.json --html page.html",
     .setup = setup});

}  // namespace
}  // namespace heed::cli
