#include "base/schema/schema_reference.h"

#include "base/text/uri.h"

#include <charconv>

namespace holdfast::schema {
namespace {

// The five parts of RFC 3986 appendix B; absent and empty differ for the authority and the query.
struct Parts {
  std::string_view scheme;
  std::optional<std::string_view> authority;
  std::string_view path;
  std::optional<std::string_view> query;
};

Parts split(std::string_view uri) {
  Parts parts;
  const std::size_t stop = uri.find_first_of(":/?");
  if (stop != std::string_view::npos && stop > 0 && uri[stop] == ':') {
    parts.scheme = uri.substr(0, stop);
    uri.remove_prefix(stop + 1);
  }
  if (const std::size_t query = uri.find('?'); query != std::string_view::npos) {
    parts.query = uri.substr(query + 1);
    uri = uri.substr(0, query);
  }
  if (uri.starts_with("//")) {
    uri.remove_prefix(2);
    parts.authority = uri.substr(0, uri.find('/'));
    uri.remove_prefix(parts.authority->size());
  }
  parts.path = uri;
  return parts;
}

std::string join(const Parts& parts, std::string_view path) {
  std::string uri;
  if (!parts.scheme.empty()) uri.append(parts.scheme).append(":");
  if (parts.authority) uri.append("//").append(*parts.authority);
  uri.append(path);
  if (parts.query) uri.append("?").append(*parts.query);
  return uri;
}

std::string without_dots(std::string_view path) {
  std::string out;
  while (!path.empty()) {
    const std::size_t next = path.find('/', 1);
    const std::string_view segment = path.substr(0, next);
    path.remove_prefix(segment.size());
    if (segment == "/." || segment == "/..") {
      if (segment == "/..") out.resize(out.rfind('/') == std::string::npos ? 0 : out.rfind('/'));
      if (path.empty()) out += '/';
    } else {
      out.append(segment);
    }
  }
  return out;
}

std::string resolve_uri(std::string_view base_text, std::string_view reference_text) {
  const Parts reference = split(reference_text);
  if (!reference.scheme.empty()) {
    return join(reference, reference.path.starts_with('/') ? without_dots(reference.path) : std::string(reference.path));
  }
  const Parts base = split(base_text);
  Parts result = reference;
  result.scheme = base.scheme;
  if (reference.authority) return join(result, without_dots(reference.path));
  result.authority = base.authority;
  if (reference.path.empty()) {
    if (!reference.query) result.query = base.query;
    return join(result, base.path);
  }
  if (reference.path.starts_with('/')) return join(result, without_dots(reference.path));
  std::string merged;
  if (base.authority && base.path.empty()) {
    merged = "/";
  } else {
    merged = base.path.substr(0, base.path.rfind('/') + 1);
  }
  merged += reference.path;
  return join(result, merged.starts_with('/') ? without_dots(merged) : merged);
}

}  // namespace

std::optional<Reference> resolve_reference(std::string_view base, std::string_view reference) {
  Reference resolved;
  const std::size_t hash = reference.find('#');
  if (hash != std::string_view::npos) {
    auto fragment = percent_decode(reference.substr(hash + 1));
    if (!fragment) return std::nullopt;
    resolved.fragment = *std::move(fragment);
  }
  const std::string_view uri = reference.substr(0, hash);
  if (uri.size() > kMaxUriBytes) return std::nullopt;
  resolved.uri = uri.empty() ? std::string(base) : resolve_uri(base, uri);
  if (resolved.uri.size() > kMaxUriBytes) return std::nullopt;
  return resolved;
}

const Json* follow_pointer(const Json& root, std::string_view pointer) {
  const Json* at = &root;
  std::string token;
  while (!pointer.empty()) {
    if (!pointer.starts_with('/')) return nullptr;
    pointer.remove_prefix(1);
    const std::string_view raw = pointer.substr(0, pointer.find('/'));
    pointer.remove_prefix(raw.size());
    token.clear();
    for (std::size_t i = 0; i < raw.size(); ++i) {
      if (raw[i] != '~') {
        token += raw[i];
      } else if (++i < raw.size() && (raw[i] == '0' || raw[i] == '1')) {
        token += raw[i] == '0' ? '~' : '/';
      } else {
        return nullptr;
      }
    }
    if (at->is_object()) {
      at = find(at->get_object(), token);
      if (!at) return nullptr;
    } else if (at->is_array()) {
      std::size_t index = 0;
      const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), index);
      const bool canonical = error == std::errc{} && end == token.data() + token.size() && (token.size() == 1 || token[0] != '0');
      if (!canonical || index >= at->get_array().size()) return nullptr;
      at = &at->get_array()[index];
    } else {
      return nullptr;
    }
  }
  return at;
}

void append_pointer_token(std::string& pointer, std::string_view token) {
  pointer += '/';
  for (const char c : token) {
    if (c == '~') {
      pointer += "~0";
    } else if (c == '/') {
      pointer += "~1";
    } else {
      pointer += c;
    }
  }
}

}  // namespace holdfast::schema
