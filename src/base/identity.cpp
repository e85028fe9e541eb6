#include "base/identity.h"

#include "base/text/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace holdfast {

namespace {

constexpr std::array<std::string_view, 4> kScopes = {"read", "write", "review", "admin"};
constexpr std::size_t kMaxNameBytes = 64;

}  // namespace

std::string_view name_of(Scope scope) {
  return kScopes[static_cast<std::size_t>(scope)];
}

std::optional<Scope> scope_named(std::string_view name) {
  for (std::size_t i = 0; i < kScopes.size(); ++i)
    if (kScopes[i] == name) return static_cast<Scope>(i);
  return std::nullopt;
}

Result<Scopes> Scopes::parse(std::string_view words) {
  Scopes scopes;
  while (!words.empty()) {
    const std::size_t end = std::min(words.find_first_of(" ,"), words.size());
    const std::string_view word = words.substr(0, end);
    words.remove_prefix(std::min(end + 1, words.size()));
    if (word.empty()) continue;
    const auto scope = scope_named(word);
    if (!scope)
      return fail(ErrorKind::invalid, fmt::format("\"{}\" is no scope", shorten(word, kMaxNameBytes)),
                  "there are read, write, review and admin");
    scopes.add(*scope);
  }
  return scopes;
}

std::vector<std::string_view> Scopes::names() const {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < kScopes.size(); ++i)
    if (has(static_cast<Scope>(i))) names.push_back(kScopes[i]);
  return names;
}

std::string Scopes::text() const {
  return fmt::format("{}", fmt::join(names(), " "));
}

bool Identity::may_see(std::string_view root) const {
  return projects.empty() || std::ranges::find(projects, root) != projects.end();
}

bool Identity::may_see(std::span<const std::string> roots) const {
  return projects.empty() || std::ranges::any_of(roots, [&](const std::string& root) { return may_see(root); });
}

bool Identity::covers(const Identity& other) const {
  if (principal.empty() || principal != other.principal) return false;
  if (projects.empty()) return true;
  return !other.projects.empty() && std::ranges::all_of(other.projects, [&](const std::string& root) { return may_see(root); });
}

Identity full_identity(std::string principal) {
  Identity identity;
  identity.person = principal;
  identity.principal = std::move(principal);
  identity.scopes = Scopes::all();
  identity.has_token = true;
  return identity;
}

Identity local_identity() {
  return full_identity(std::string(kLocalPrincipal));
}

bool is_principal_name(std::string_view name) {
  if (name.empty() || name.size() > kMaxNameBytes) return false;
  return std::ranges::all_of(
      name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || std::string_view("._@-").contains(c); });
}

}  // namespace holdfast
