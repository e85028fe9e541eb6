#include "mcp/server/features.h"

#include "base/text/uri.h"

namespace holdfast::mcp {

std::optional<Variables> match_template(std::string_view uri_template, std::string_view uri) {
  Variables variables;
  while (!uri_template.empty()) {
    std::size_t open = uri_template.find('{');
    std::string_view literal = uri_template.substr(0, open);
    if (!uri.starts_with(literal)) return std::nullopt;
    uri.remove_prefix(literal.size());
    if (open == std::string_view::npos) {
      uri_template = {};
      break;
    }
    std::size_t close = uri_template.find('}', open);
    if (close == std::string_view::npos) return std::nullopt;
    std::string name(uri_template.substr(open + 1, close - open - 1));
    uri_template.remove_prefix(close + 1);
    // A variable takes everything up to the next literal character, never a slash.
    std::size_t end = uri.find_first_of(uri_template.empty() ? std::string("/") : std::string{'/', uri_template.front()});
    std::string_view value = uri.substr(0, end);
    if (value.empty()) return std::nullopt;
    uri.remove_prefix(value.size());
    auto decoded = percent_decode(value);
    if (!decoded) return std::nullopt;
    variables.insert_or_assign(std::move(name), std::move(*decoded));
  }
  if (!uri.empty()) return std::nullopt;
  return variables;
}

}  // namespace holdfast::mcp
