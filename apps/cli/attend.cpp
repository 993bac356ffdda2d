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
#include "cli/output_files.h"
#include "cli/verb.h"
#include "heed/base/error.h"
#include "heed/base/output_file.h"
#include "heed/base/safetensors.h"

namespace heed::cli {
namespace {

struct AttendVerb {
  std::string spec;
  std::string input;
  std::string output;
  std::string heads;  // "H" or "H,Hkv"
  std::int64_t init = -1;
  bool show = false;
  std::string show_only;  // "SEQUENCE,HEAD"
  bool demo = false;
  OutputFiles files;

  Options list;

  AttendVerb() {
    list.add("input", input, "safetensors file to read").letter('i').kind("FILE");
    list.add("output", output, "safetensors file to write").letter('o').kind("FILE");
    list.add("heads", heads, "H or H,Hkv: heads that [B,S,D] is split into");
    list.add("init", init, "seed to draw the parameters with that the file lacks; -1: draw none")
        .at_least(-1);
    list.add("show", show,
             "print the weights as heatmaps, the first ones where there are many, and the "
             "structures that share them (sparse_chain, sparse_tree, ...)");
    list.add("show-only", show_only, "SEQUENCE,HEAD: print this one heatmap, whole");
    list.add("demo", demo, "walk through score, normalise, combine");
    files.declare(list);
  }
  std::optional<std::uint64_t> seed() const {
    return init < 0 ? std::nullopt : std::optional(static_cast<std::uint64_t>(init));
  }
};

void write(const attend::Answer& answer, const std::string& path) {
  SafetensorsWriter writer;
  writer.set_metadata(std::string(kAnswerMark), HEED_VERSION);  // so that heed may replace it
  for (const auto& [name, value] : answer.tensors) {
    writer.add(name, std::vector<std::size_t>(value.shape().begin(), value.shape().end()),
               value.span());
  }
  writer.write(path);
}

void run(AttendVerb& verb) {
  if (verb.demo) return attend_demo();
  const bool shows = verb.show || !verb.show_only.empty();
  if (verb.spec.empty() || verb.input.empty() || (verb.output.empty() && !shows)) {
    throw UsageError("it takes a mechanism, --input and --output or --show; or --demo alone");
  }
  verb.files.reads({verb.input});
  verb.files.check(verb.output);
  AttendInput input(verb.input);
  attend::Question question = attend::read_question(input, attend::parse_heads(verb.heads));
  check_shown(verb.show_only, question.query.size(0), question.heads.query);
  const attend::Answer answer = attend::answer(
      input, std::move(question), {.spec = verb.spec, .init = verb.seed(), .structures = shows});
  input.report_unused();
  input.report_nan();
  if (!verb.output.empty()) write(answer, verb.output);
  if (shows) show_weights(answer, verb.show_only);
}

Action set_up(CommandLine& line) {
  auto verb = std::make_shared<AttendVerb>();
  line.add("SPEC", verb->spec, "scores + biases | pattern | normaliser").kind("");
  return line.with_options(verb->list, [verb] { run(*verb); });
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
     .setup = set_up});

}  // namespace
}  // namespace heed::cli
