#pragma once

// For tests: is this HTML made of what we allow alone?

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace holdfast::reading {

// Empty when every tag and attribute is of the list, and every address is harmless; else what is wrong. Knows what our own writer
// makes: values in double quotes, no comments, no upper case.
inline std::string wrong_markup(std::string_view html) {
  constexpr std::array<std::string_view, 50> kTags = {
      "p",       "h3",    "h4",     "h5",         "h6",    "ul",      "ol",     "li",   "blockquote", "pre",
      "code",    "table", "thead",  "tbody",      "tr",    "th",      "td",     "em",   "strong",     "del",
      "ins",     "a",     "br",     "hr",         "input", "article", "div",    "span", "header",     "details",
      "summary", "time",  "figure", "figcaption", "b",     "img",     "nav",    "main", "html",       "head",
      "body",    "title", "meta",   "section",    "h1",    "h2",      "footer", "dl",   "dt",         "dd"};
  constexpr std::array<std::string_view, 21> kAttributes = {
      "class", "id",      "href", "rel",      "start", "type",    "disabled", "checked", "aria-label", "dir",     "src",
      "alt",   "loading", "open", "datetime", "lang",  "charset", "name",     "content", "http-equiv", "tabindex"};
  const auto known = [](const auto& list, std::string_view word) { return std::ranges::find(list, word) != list.end(); };
  while (!html.empty()) {
    const std::size_t open = html.find('<');
    if (html.substr(0, open).contains('>')) return "a bare >";
    if (open == std::string_view::npos) return {};
    html.remove_prefix(open + 1);
    if (html.starts_with('/')) html.remove_prefix(1);
    std::size_t end = 0;
    while (end < html.size() && ((html[end] >= 'a' && html[end] <= 'z') || (html[end] >= '0' && html[end] <= '9'))) ++end;
    if (!known(kTags, html.substr(0, end)))
      return "tag " + std::string(html.substr(0, std::min<std::size_t>(end + 10, html.size())));
    html.remove_prefix(end);
    while (!html.starts_with('>')) {
      if (!html.starts_with(' ')) return "no attribute: " + std::string(html.substr(0, 20));
      html.remove_prefix(1);
      const std::size_t name_end = html.find_first_of("=> ");
      if (name_end == std::string_view::npos) return "an open tag";
      const std::string_view name = html.substr(0, name_end);
      if (!known(kAttributes, name)) return "attribute " + std::string(name);
      html.remove_prefix(name_end);
      if (!html.starts_with("=\"")) continue;
      html.remove_prefix(2);
      const std::size_t quote = html.find('"');
      if (quote == std::string_view::npos) return "an open value";
      const std::string_view value = html.substr(0, quote);
      const bool address = name == "href" || name == "src";
      constexpr std::array<std::string_view, 6> kHarmless = {"http://", "https://", "mailto:", "#", "data:image/", "/"};
      if (address &&
          std::ranges::none_of(kHarmless,
                               [&](std::string_view begin) {
                                 const auto same = [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + 32 : a) == b; };
                                 return value.size() >= begin.size() &&
                                        std::ranges::equal(value.substr(0, begin.size()), begin, same);
                               }) &&
          !value.starts_with("http") && !value.starts_with("HTTP"))
        return "address " + std::string(value);
      html.remove_prefix(quote + 1);
    }
    html.remove_prefix(1);
  }
  return {};
}

}  // namespace holdfast::reading
