// SPDX-License-Identifier: Apache-2.0
// The verb `attend`: one mechanism on tensors from a file, its results and gradients into another.
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "attend/answer.h"
#include "cli/attend_demo.h"
#include "cli/attend_input.h"
#include "cli/attend_show.h"
#include "cli/verb.h"
#include "heed/base/error.h"
#include "heed/base/safetensors.h"

namespace heed::cli {
namespace {

struct Arguments {
  std::string spec;
  std::string input;
  std::string output;
  std::string heads;  // "H" or "H,Hkv"
  std::optional<std::uint64_t> init;
  bool show = false;
  std::string show_only;  // "SEQUENCE,HEAD"
  bool demo = false;
};

void write(const attend::Answer& answer, const std::string& path) {
  SafetensorsWriter writer;
  for (const auto& [name, value] : answer.tensors) {
    writer.add(name, std::vector<std::size_t>(value.shape().begin(), value.shape().end()),
               value.span());
  }
  writer.write(path);
}

void run(const Arguments& arguments) {
  if (arguments.demo) return attend_demo();
  const bool shows = arguments.show || !arguments.show_only.empty();
  if (arguments.spec.empty() || arguments.input.empty() || (arguments.output.empty() && !shows)) {
    throw UsageError("it takes a mechanism, --input and --output or --show; or --demo alone");
  }
  AttendInput input(arguments.input);
  attend::Question question = attend::read_question(input, attend::parse_heads(arguments.heads));
  check_shown(arguments.show_only, question.query.size(0), question.heads.query);
  const attend::Answer answer =
      attend::answer(input, std::move(question), {.spec = arguments.spec, .init = arguments.init});
  input.report_unused();
  if (!arguments.output.empty()) write(answer, arguments.output);
  if (shows) show_weights(answer.weights, arguments.show_only);
}

Action setup(CommandLine& line) {
  auto arguments = std::make_shared<Arguments>();
  line.add("SPEC", arguments->spec, "scores + biases | pattern | normaliser").kind("");
  line.add("--input", arguments->input, "safetensors file to read").kind("FILE");
  line.add("--output", arguments->output, "safetensors file to write").kind("FILE");
  line.add("--heads", arguments->heads, "heads that [B,S,D] is split into").kind("H[,Hkv]");
  line.add("--init", arguments->init, "draw the parameters that the file lacks").kind("SEED");
  line.add_flag("--show", arguments->show,
                "print the weights as heatmaps, the first ones where there are many");
  line.add("--show-only", arguments->show_only, "print one heatmap, whole").kind("SEQUENCE,HEAD");
  line.add_flag("--demo", arguments->demo, "walk through score, normalise, combine");
  return [arguments] { run(*arguments); };
}

const ListedVerb kListed(
    {.name = "attend",
     .summary = "Run a mechanism on the tensors of a file",
     .description =
         "Reads query, keys and values: [S,D], [B,S,D] (split by --heads) or [B,H,S,D]. Optional: "
         "mask (boolean: true attends; float: added, -inf forbids), lengths [B], query_segments "
         "[B,Q] and key_segments [B,K], each of which restricts the pattern; bounds; projections "
         "W_Q W_K W_V W_O as [out,in]; and the parameters that `heed mechanisms NAME` lists. "
         "Writes context, weights and scores; lse where every head weighs by softmax (there "
         "weights = exp(scores - lse)); log_probability and entropy where a normaliser draws. "
         "Given grad_context, grad_weights, grad_log_probability or grad_entropy it also writes "
         "grad_NAME of query, keys, values, bounds and every parameter.",
     .example = "heed attend \"scaled_dot | causal\" --input in.safetensors --output "
                "out.safetensors\nheed attend \"additive | full | sparsemax\" --input "
                "in.safetensors --init 1 --show\nheed attend --demo",
     .setup = setup});

}  // namespace
}  // namespace heed::cli
