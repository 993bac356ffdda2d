// SPDX-License-Identifier: Apache-2.0
// `heed view`: where a model looked, in the terminal, as a picture, as a page for the browser.
#include <fmt/format.h>

#include <memory>

#include "cli/output_files.h"
#include "cli/verb.h"
#include "cli/view_gold.h"
#include "cli/view_input.h"
#include "cli/view_show.h"
#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/insight/page/page.h"

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
  ViewShow show;
  OutputFiles files;
  Options list;

  ViewVerb() {
    list.add("html", html, "write a page for the browser to this file");
    list.add("title", title, "of the page or the pictures; empty: the model's name, the example's");
    list.add("precision", precision, "bits that the page keeps of a weight: 8 or 16").range(8, 16);
    list.add("examples", examples, "show only this many, from the first; 0: all").range(0, 1 << 30);
    input.declare(list);
    gold.declare(list);
    show.declare(list);
    files.declare(list);
  }
};

void write_page(const ViewVerb& verb, const insight::TraceDocument& document) {
  const std::string page =
      insight::page(document, {.title = verb.title, .precision = verb.precision});
  verb.files.write(verb.html, page);
  fmt::print("{}: {} example{}, {}\n", verb.html, document.examples.size(),
             document.examples.size() == 1 ? "" : "s", human_bytes(page.size()));
}

void run(ViewVerb& verb) {
  verb.files.reads(
      {verb.what, verb.input.input, verb.input.source, verb.gold.gold, verb.gold.beside});
  for (const std::string& file : {verb.html, verb.show.svg, verb.show.png}) verb.files.check(file);
  insight::TraceDocument document = verb.input.read(verb.what);
  if (verb.gold.wanted()) verb.gold.compare(document, verb.input);
  const auto wanted = static_cast<std::size_t>(verb.examples);
  if (wanted > 0 && document.examples.size() > wanted) document.examples.resize(wanted);
  if (!verb.html.empty()) write_page(verb, document);
  if (verb.show.wants_picture()) verb.show.write_pictures(document, verb.title, verb.files);
  const bool to_files = !verb.html.empty() || verb.show.wants_picture();
  if (!to_files && !verb.gold.wanted()) verb.show.print(document);
}

Action set_up(CommandLine& line) {
  auto verb = std::make_shared<ViewVerb>();
  line.add("TRACE_OR_MODEL", verb->what, "a trace file, or a model folder that reads --text")
      .required()
      .kind("");
  return line.with_options(verb->list, [verb] { run(*verb); });
}

const ListedVerb kListed(
    {.name = "view",
     .summary = "See where a model looked: every head, layer and step",
     .description =
         "Reads a trace (JSON, safetensors, soft alignments of Marian, those of Nematus), or lets "
         "a "
         "model read a text, and draws where it looked: in the terminal, as a picture (--svg, "
         "--png), or with every head on one page that opens in any browser without a network "
         "(--html). With --gold it says which head aligns words best.",
     .example = "heed view trace.json\n"
                "heed view trace.json --form links --layer 0 --head 1 --svg links.svg\n"
                "heed view trace.json --html page.html\n"
                "heed view model --text \"The cat sleeps.\" --html page.html\n"
                "heed view trace.json --gold data/test.align",
     .setup = set_up});

}  // namespace
}  // namespace heed::cli
