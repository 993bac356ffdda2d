// SPDX-License-Identifier: Apache-2.0
// `heed serve`: models behind a page and an API, until it is told to stop.
#include <fmt/format.h>

#include <memory>

#include "cli/verb.h"
#include "server/serve.h"

namespace heed::cli {
namespace {

void run(const server::ServeOptions& options) {
  server::serve(options, [](const std::string& url) {
    fmt::print("serving on {}\n", url);
    flush_output();
  });
}

Action set_up(CommandLine& line) {
  auto options = std::make_shared<server::ServeOptions>();
  line.add("MODEL", options->models, "model folders, as FOLDER or NAME=FOLDER").kind("");
  return line.with_options(options->list, [options] { run(*options); });
}

const ListedVerb kListed(
    {.name = "serve",
     .summary = "Serve models: a page to try them on, and a JSON API",
     .description =
         "Answers on this machine only unless --host says otherwise. The page is at /, the API at "
         "/v1/..., its description at /openapi.json. SIGHUP reloads the folders, all or none; "
         "--watch reloads one when it has changed; SIGTERM finishes what has begun, then exits.",
     .example =
         "heed serve models/en-fr\n"
         "heed serve en-fr=models/large stories=models/tales --port 9000 --token-file token\n"
         "curl -d '{\"text\": \"The cat sleeps.\"}' -H 'Content-Type: application/json' "
         "127.0.0.1:8080/v1/translate",
     .setup = set_up});

}  // namespace
}  // namespace heed::cli
