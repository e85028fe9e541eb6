#include "mcp/oauth/http_url.h"

#include "base/text/uri.h"

#include <algorithm>

namespace holdfast::mcp::oauth {

std::string write_form(const Fields& fields) {
  std::string text;
  for (const auto& [name, value] : fields) {
    if (!text.empty()) text += '&';
    text += percent_encode(name) + '=' + percent_encode(value);
  }
  return text;
}

Result<Fields> read_form(std::string_view text) {
  Fields fields;
  while (!text.empty()) {
    std::string field(text.substr(0, text.find('&')));
    text.remove_prefix(std::min(text.size(), field.size() + 1));
    if (field.empty()) continue;
    std::ranges::replace(field, '+', ' ');
    const std::size_t equals = field.find('=');
    HF_TRY(std::string name, percent_decode(std::string_view(field).substr(0, equals)));
    HF_TRY(std::string value, percent_decode(equals == field.npos ? "" : std::string_view(field).substr(equals + 1)));
    fields.emplace_back(std::move(name), std::move(value));
  }
  return fields;
}

}  // namespace holdfast::mcp::oauth
