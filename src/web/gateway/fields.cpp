#include "web/gateway/fields.h"

#include "base/text/uri.h"

#include <algorithm>

namespace holdfast::web {

namespace {

// A form writes a blank as "+".
Result<std::string> decode(std::string_view text) {
  std::string spaced(text);
  std::ranges::replace(spaced, '+', ' ');
  return percent_decode(spaced);
}

}  // namespace

Fields Fields::parse(std::string_view encoded) {
  Fields fields;
  while (!encoded.empty() && fields.pairs_.size() < kMaxFields) {
    const std::size_t end = encoded.find('&');
    const std::string_view pair = encoded.substr(0, end);
    const std::size_t equals = pair.find('=');
    auto name = decode(pair.substr(0, equals));
    auto value = decode(equals == std::string_view::npos ? std::string_view() : pair.substr(equals + 1));
    if (name && value && !name->empty()) fields.pairs_.emplace_back(std::move(*name), std::move(*value));
    if (end == std::string_view::npos) break;
    encoded.remove_prefix(end + 1);
  }
  return fields;
}

std::string_view Fields::get(std::string_view name) const {
  const auto found = std::ranges::find(pairs_, name, &std::pair<std::string, std::string>::first);
  return found == pairs_.end() ? std::string_view() : std::string_view(found->second);
}

std::vector<std::string> Fields::all(std::string_view name) const {
  std::vector<std::string> values;
  for (const auto& [key, value] : pairs_)
    if (key == name) values.push_back(value);
  return values;
}

bool Fields::has(std::string_view name) const {
  return std::ranges::find(pairs_, name, &std::pair<std::string, std::string>::first) != pairs_.end();
}

Fields Fields::with(std::string_view name, std::string_view value) const {
  Fields changed;
  bool placed = value.empty();
  for (const auto& [key, old] : pairs_) {
    if (key != name) {
      changed.pairs_.emplace_back(key, old);
    } else if (!placed) {
      changed.pairs_.emplace_back(key, value);
      placed = true;
    }
  }
  if (!placed) changed.pairs_.emplace_back(name, value);
  return changed;
}

std::string Fields::encode() const {
  std::string text;
  for (const auto& [name, value] : pairs_) {
    if (!text.empty()) text += '&';
    text += percent_encode(name) + "=" + percent_encode(value);
  }
  return text;
}

}  // namespace holdfast::web
