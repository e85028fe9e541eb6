#include "web/pages/pages.h"

#include "base/text/uri.h"

namespace holdfast::web {

namespace {

constexpr std::string_view kAnyPart = "{}";

std::vector<std::string> split_path(std::string_view path) {
  std::vector<std::string> parts;
  while (!path.empty()) {
    path.remove_prefix(1);  // the slash
    const std::size_t end = path.find('/');
    parts.emplace_back(path.substr(0, end));
    if (end == std::string_view::npos) break;
    path.remove_prefix(end);
  }
  return parts;
}

bool fits(const std::vector<std::string>& pattern, const std::vector<std::string>& path, std::vector<std::string>& parts) {
  if (pattern.size() != path.size()) return false;
  parts.clear();
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != kAnyPart) {
      if (pattern[i] != path[i]) return false;
      continue;
    }
    auto decoded = percent_decode(path[i]);
    if (!decoded || decoded->empty()) return false;
    parts.push_back(std::move(*decoded));
  }
  return true;
}

}  // namespace

void Pages::get(std::string pattern, PageHandler handler, Scope needs) {
  routes_.push_back({false, split_path(pattern), std::move(handler), needs});
}

void Pages::post(std::string pattern, PageHandler handler, Scope needs) {
  routes_.push_back({true, split_path(pattern), std::move(handler), needs});
}

bool Pages::find(std::string_view method, std::string_view path, Match& match) const {
  if (!path.starts_with('/')) return false;
  const bool is_read = method == "GET" || method == "HEAD", is_post = method == "POST";
  const std::vector<std::string> asked = split_path(path);
  std::vector<std::string> parts;
  bool readable = false, postable = false;
  for (const Route& route : routes_) {
    if (!fits(route.pattern, asked, parts)) continue;
    (route.is_post ? postable : readable) = true;
    if (match.handler || (route.is_post ? !is_post : !is_read)) continue;
    match.handler = &route.handler;
    match.needs = route.needs;
    match.parts = parts;
  }
  match.allow = readable && postable ? "GET, HEAD, POST" : postable ? "POST" : "GET, HEAD";
  return readable || postable;
}

}  // namespace holdfast::web
