// SPDX-License-Identifier: Apache-2.0
// The viewer page is put together: web/page.html with the styles, the modules, a header in JSON and
// a block of codes for each head.
#include "heed/insight/page/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "heed/base/base64.h"
#include "heed/base/error.h"
#include "heed/base/output_file.h"
#include "heed/base/svg.h"
#include "heed/base/text.h"
#include "heed/insight/page/web_files.h"
#include "heed/insight/trace/head_codes.h"

namespace heed::insight {
namespace {

using nlohmann::ordered_json;

ordered_json edges_of(const std::vector<ImageBox>& boxes) {
  ordered_json list = ordered_json::array();
  for (const ImageBox& box : boxes) list.push_back({box.left, box.top, box.right, box.bottom});
  return list;
}

std::string_view web_file(std::string_view name) {
  const auto files = web_files();
  const auto found = std::ranges::find(files, name, &WebFile::name);
  if (found == files.end()) throw InternalError("web/{} is not embedded", name);
  return found->text;
}

// JSON that may be in a <script>: nothing in it can end the element or, in old engines, a line.
std::string script_json(const ordered_json& value) {
  const std::string plain = value.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  std::string safe;
  safe.reserve(plain.size());
  for (std::size_t i = 0; i < plain.size(); ++i) {
    const std::string_view rest = std::string_view(plain).substr(i);
    if (plain[i] == '<' || plain[i] == '>' || plain[i] == '&') {
      safe += fmt::format("\\u{:04x}", static_cast<unsigned>(plain[i]));
    } else if (rest.starts_with("\xE2\x80\xA8") || rest.starts_with("\xE2\x80\xA9")) {
      safe += rest[2] == '\xA8' ? "\\u2028" : "\\u2029";
      i += 2;
    } else {
      safe += plain[i];
    }
  }
  return safe;
}

// Headers of heads go into the JSON, their weights into elements of their own.
// NOLINTNEXTLINE(bugprone-exception-escape): moving JSON does not throw, whatever it looks like
struct Payload {
  ordered_json header;
  std::string blocks;
};

ordered_json head_header(const TracedHead& head, const std::string& id, int precision,
                         std::string& blocks) {
  const HeadCodes codes = head_codes(head.weights, precision);
  fmt::format_to(std::back_inserter(blocks), "<script type=\"text/plain\" id=\"{}\">{}</script>\n",
                 id, base64_encode(codes.bytes));
  ordered_json header = {{"layer", head.layer},
                         {"head", head.head},
                         {"block", id},
                         {"scale", codes.scale},
                         {"entropy", codes.entropy},
                         {"density", codes.density},
                         {"rows", codes.rows},
                         {"columns", codes.columns},
                         {"thumbnail", base64_encode(codes.thumbnail)}};
  if (!head.learnt.empty()) header["learnt"] = head.learnt;
  return header;
}

ordered_json example_header(const TracedExample& example, std::size_t e, int precision,
                            std::string& blocks) {
  ordered_json header = {{"title", example.title}};
  for (const TokenStrip& strip : example.strips) {
    ordered_json item = {{"name", strip.name}, {"tokens", strip.tokens}};
    if (!strip.words.empty()) item["words"] = strip.words;
    header["strips"].push_back(std::move(item));
  }
  header["attentions"] = ordered_json::array();
  for (std::size_t a = 0; a < example.attentions.size(); ++a) {
    const AttentionSet& set = example.attentions[a];
    ordered_json item = {{"kind", set.kind},
                         {"queries", set.queries},
                         {"keys", set.keys},
                         {"stepwise", set.stepwise}};
    for (std::size_t h = 0; h < set.heads.size(); ++h) {
      item["heads"].push_back(
          head_header(set.heads[h], fmt::format("weights-{}-{}-{}", e, a, h), precision, blocks));
    }
    header["attentions"].push_back(std::move(item));
  }
  if (example.gold) {
    header["gold"] = ordered_json::array();
    for (const text::Link& link : *example.gold) {
      header["gold"].push_back({link.source, link.target, link.sure});
    }
  }
  if (const auto& image = example.image) {
    header["image"] = {{"strip", image->strip},
                       {"rows", image->rows},
                       {"columns", image->columns},
                       {"png", base64_encode(image->png)}};
    if (!image->gold.empty()) header["image"]["gold"] = edges_of(image->gold);
    for (const std::vector<ImageBox>& look : image->looks) {
      header["image"]["looks"].push_back(edges_of(look));
    }
  }
  return header;
}

Payload payload_of(const TraceDocument& document, const PageOptions& options,
                   const std::string& title) {
  Payload payload;
  payload.header = {{"format", "heed-page"},
                    {"version", 1},
                    {"title", title},
                    {"model", document.model},
                    {"task", document.task},
                    {"precision", options.precision},
                    {"examples", ordered_json::array()}};
  for (std::size_t e = 0; e < document.examples.size(); ++e) {
    payload.header["examples"].push_back(
        example_header(document.examples[e], e, options.precision, payload.blocks));
  }
  return payload;
}

// Modules stay as they are: an import map finds each by its name in a data URL, where a server
// would give its address.
std::string import_map() {
  ordered_json imports = ordered_json::object();
  for (const WebFile& file : web_files()) {
    if (!file.name.ends_with(".js")) continue;
    imports["heed/" + std::string(file.name)] =
        "data:text/javascript;base64," + base64_encode(file.text);
  }
  return script_json({{"imports", imports}});
}

// Only scripts that carry it are run: a second wall behind the escaping. It is a hash (FNV-1a) of
// the content, so that the same trace gives the same page.
std::string nonce_of(std::string_view content) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : content) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return fmt::format("heed{:016x}", hash);
}

// The template with each @name@ replaced, in one pass: what is put in is not looked at again.
std::string filled(std::string_view text, const std::map<std::string, std::string>& values) {
  std::string result;
  while (true) {
    const std::size_t begin = text.find('@');
    const std::size_t end = begin == std::string_view::npos ? begin : text.find('@', begin + 1);
    if (end == std::string_view::npos) break;
    const auto value = values.find(std::string(text.substr(begin + 1, end - begin - 1)));
    if (value == values.end()) {
      throw InternalError("web/page.html: @{}@ has no value",
                          shorten(text.substr(begin + 1, end - begin - 1), 40));
    }
    result += text.substr(0, begin);
    result += value->second;
    text.remove_prefix(end + 1);
  }
  return result.append(text);
}

}  // namespace

std::string page(const TraceDocument& document, const PageOptions& options) {
  if (options.precision != 8 && options.precision != 16) {
    throw UsageError("page: a precision of {} bits: it takes 8 or 16", options.precision);
  }
  check(document);
  const std::string title = !options.title.empty()    ? options.title
                            : !document.model.empty() ? document.model
                                                      : "Attention";
  const Payload payload = payload_of(document, options, title);
  const std::string header = script_json(payload.header);
  return marked(filled(web_file("page.html"), {{"title", svg_escaped(title)},
                                               {"style", std::string(web_file("style.css"))},
                                               {"modules", import_map()},
                                               {"nonce", nonce_of(header)},
                                               {"header", header},
                                               {"blocks", payload.blocks}}));
}

}  // namespace heed::insight
