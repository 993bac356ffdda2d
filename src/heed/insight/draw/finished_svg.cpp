// SPDX-License-Identifier: Apache-2.0
// One walk over the text: names are found where SVG has them, after id=" and after #.
#include "heed/insight/draw/finished_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <vector>

#include "heed/base/svg.h"
#include "heed/base/text.h"

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

// Two decimals: a hundredth of a point is not seen.
std::string_view short_number(std::string_view number) {
  const std::size_t point = number.find('.');
  if (point == std::string_view::npos) return number;
  number = number.substr(0, point + 3);
  const std::size_t last = number.find_last_not_of('0');
  return number.substr(0, last == point ? point : last + 1);
}

// "M 1.500000 0 L 2 -3.25 Z M 1.5 0 " as "M1.5 0L2-3.25Z": half of a picture are such outlines.
std::string short_path(std::string_view path) {
  std::vector<std::string_view> words;
  for (const std::string_view word : split(path, ' ')) {
    if (!word.empty()) words.push_back(short_number(word));
  }
  // Cairo moves back to the beginning of what it has closed.
  const std::size_t count = words.size();
  if (count > 4 && words[count - 4] == "Z" && words[count - 3] == "M") words.resize(count - 3);
  const auto is_number = [](std::string_view word) { return std::isalpha(word[0]) == 0; };
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool joined =
        i == 0 || !is_number(words[i]) || !is_number(words[i - 1]) || words[i].starts_with('-');
    text += joined ? "" : " ";
    text += words[i];
  }
  return text;
}

// "100%,50%,0%" as "#ff8000".
std::string hex_colour(std::string_view percents) {
  std::string hex = "#";
  for (const std::string_view part : split(percents, ',')) {
    const double percent = parse_number(part.substr(0, part.find('%')), "rgb");
    hex += fmt::format("{:02x}", std::lround(percent * 2.55));
  }
  return hex;
}

// The value of an attribute that begins here, without its closing quote.
std::string_view value_of(std::string_view rest) {
  return rest.substr(0, rest.find_first_of("\")"));
}

}  // namespace

std::string finished_svg(std::string_view written, std::string_view title) {
  constexpr std::string_view kImage = "<image ";
  constexpr std::string_view kData = "\"data:";
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
    const std::string_view path = opens({" d=\"", " x=\"", " y=\""});
    const std::string_view colour = opens({"rgb("});
    // What SVG takes for granted, in every shape.
    const std::string_view granted =
        opens({"fill-rule:nonzero;", "fill-opacity:1;", "stroke-opacity:1;", " stroke:none;",
               "stroke-linecap:butt;", "stroke-linejoin:miter;", " style=\"stroke:none;\""});
    const auto value = [&](std::string_view opening) {
      const std::string_view found = value_of(rest.substr(opening.size()));
      at += opening.size() + found.size();
      return found;
    };
    if (rest.starts_with(kData)) {
      const std::string_view bytes = rest.substr(0, rest.find('"', kData.size()));
      text += bytes;
      at += bytes.size();
    } else if (!granted.empty()) {
      at += granted.size();
    } else if (rest.starts_with(kImage)) {
      // Without it a browser blurs cells into each other.
      text += "<image style=\"image-rendering:pixelated\" ";
      at += kImage.size();
    } else if (!name.empty()) {
      text += std::string(name) + names.of(std::string(value(name)));
    } else if (!path.empty()) {
      text += std::string(path) + short_path(value(path));
    } else if (!colour.empty()) {
      text += hex_colour(value(colour));
      ++at;  // its bracket
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
