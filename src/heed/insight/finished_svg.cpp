// SPDX-License-Identifier: Apache-2.0
// One walk over the text: names are found where SVG has them, after id=" and after #.
#include "heed/insight/finished_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "heed/base/svg.h"

namespace heed::insight {
namespace {

// "image12" -> "image1": by the order in which names of a kind turn up.
class Names {
 public:
  std::string of(const std::string& name) {
    const std::size_t digits = name.find_last_not_of("0123456789") + 1;
    if (digits == 0 || digits == name.size()) return name;
    const std::string kind = name.substr(0, digits);
    const auto [found, is_new] = names_.try_emplace(name);
    if (is_new) found->second = fmt::format("{}{}", kind, ++counts_[kind]);
    return found->second;
  }

 private:
  std::map<std::string, std::string> names_;
  std::map<std::string, int> counts_;
};

// Coordinates with two decimals: a hundredth of a point is not seen, and a third of the bytes go.
std::string shortened(std::string_view numbers) {
  std::string text;
  std::size_t decimals = 0;
  bool behind_point = false;
  for (const char c : numbers) {
    const bool digit = c >= '0' && c <= '9';
    behind_point = c == '.' || (behind_point && digit);
    decimals = behind_point && digit ? decimals + 1 : 0;
    if (decimals <= 2) text += c;
  }
  return text;
}

// The value of an attribute that begins here, without its closing quote.
std::string_view value_of(std::string_view rest) {
  return rest.substr(0, rest.find_first_of("\")"));
}

}  // namespace

std::string finished_svg(std::string_view written, std::string_view title) {
  constexpr std::string_view kImage = "<image ";
  Names names;
  std::string text;
  for (std::size_t at = 0; at < written.size();) {
    const std::string_view rest = written.substr(at);
    const auto opens = [&](std::initializer_list<std::string_view> forms) {
      const auto found = std::ranges::find_if(
          forms, [&](std::string_view form) { return rest.starts_with(form); });
      return found == forms.end() ? std::string_view() : *found;
    };
    const std::string_view name = opens({"id=\"", "href=\"#", "url(#"});
    const std::string_view place = opens({" d=\"", " x=\"", " y=\""});
    const std::string_view opening = name.empty() ? place : name;
    // What SVG takes for granted, in every shape.
    const std::string_view granted =
        opens({"fill-rule:nonzero;", "fill-opacity:1;", "stroke-opacity:1;", " stroke:none;",
               "stroke-linecap:butt;", "stroke-linejoin:miter;"});
    if (!granted.empty()) {
      at += granted.size();
    } else if (rest.starts_with(kImage)) {
      // Without it a browser blurs cells into each other.
      text += "<image style=\"image-rendering:pixelated\" ";
      at += kImage.size();
    } else if (!opening.empty()) {
      const std::string_view value = value_of(rest.substr(opening.size()));
      text += opening;
      text += name.empty() ? shortened(value) : names.of(std::string(value));
      at += opening.size() + value.size();
    } else {
      text += written[at++];
    }
  }
  const std::size_t svg = text.find("<svg ");
  const std::size_t end = svg == std::string::npos ? svg : text.find(">\n", svg);
  if (end == std::string::npos) return text;
  text.insert(end + 2, fmt::format("<title>{}</title>\n", svg_escaped(title)));
  text.insert(svg + 5, "role=\"img\" ");
  return text;
}

}  // namespace heed::insight
