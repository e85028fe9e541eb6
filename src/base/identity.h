#pragma once

// Who asks, and what they may do.
//
// Two questions that look like one. `principal` is whose sessions these are: the owner that a record carries, compared exactly
// and by nothing else. `person` is who acts: the name that stands as the author of a verdict, in the log, in a review. For a
// token of one person they are the same; several persons of a team share the principal "team:NAME" and keep their own names.
//
// What a principal may be called keeps the kinds apart: "local" (this machine's user), a token's name (is_principal_name:
// letters, digits and . _ @ -), "team:" and such a name, or "issuer|subject" of an OAuth token. None can be spelled as another.
//
// Values; any thread.

#include "base/result.h"

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast {

enum class Scope : std::uint8_t {
  read,    // list, search, read, be told
  write,   // make and change sessions, propose, delete
  review,  // decide what others proposed: accept, reject, comment
  admin    // how the server is and what it holds: metrics, storage
};

std::string_view name_of(Scope scope);
std::optional<Scope> scope_named(std::string_view name);

// A set of scopes, closed: admin brings all others with it, write and review bring read.
class Scopes {
 public:
  constexpr Scopes() = default;
  constexpr Scopes(std::initializer_list<Scope> scopes) {
    for (Scope scope : scopes) add(scope);
  }
  static constexpr Scopes all() { return {Scope::admin}; }
  // Words divided by blanks or commas. Errors: invalid, naming the word that is no scope.
  static Result<Scopes> parse(std::string_view words);

  constexpr void add(Scope scope) {
    bits_ |= bit(scope) | bit(Scope::read);
    if (scope == Scope::admin) bits_ |= bit(Scope::write) | bit(Scope::review);
  }
  constexpr bool has(Scope scope) const { return (bits_ & bit(scope)) != 0; }
  constexpr bool empty() const { return bits_ == 0; }
  std::vector<std::string_view> names() const;  // in the order above
  std::string text() const;                     // "read write", as OAuth spells it

  friend constexpr bool operator==(const Scopes&, const Scopes&) = default;

 private:
  static constexpr std::uint8_t bit(Scope scope) { return static_cast<std::uint8_t>(1U << static_cast<unsigned>(scope)); }
  std::uint8_t bits_ = 0;
};

// The user of this machine: stdio, the command line, --no-auth, the first token.
inline constexpr std::string_view kLocalPrincipal = "local";
inline constexpr std::string_view kTeamPrefix = "team:";

// Nobody, until somebody says who it is: one that was forgotten owns nothing and may do nothing.
struct Identity {
  std::string principal;
  std::string person;
  Scopes scopes;
  std::vector<std::string> projects;  // canonical root URIs that may be worked in; empty: all
  // Shown to us: a token, a login, or by holding the pipe. False for programs that --no-auth lets in because they run as the user
  // who runs the server; such a one may ask for nothing that starts programs.
  bool has_token = false;

  // Whether something in these roots (its own and linked ones) is inside of the projects.
  bool may_see(std::span<const std::string> roots) const;
  bool may_see(std::string_view root) const;
  // Whether all that the other may see is seen by this one too, so that it may be told what came of the other's calls.
  bool covers(const Identity& other) const;

  friend bool operator==(const Identity&, const Identity&) = default;
};

// Somebody who may do everything in what belongs to this principal.
Identity full_identity(std::string principal);
// The user of this machine.
Identity local_identity();

// 1 to 64 letters, digits and . _ @ - : what a token or a team can be called.
bool is_principal_name(std::string_view name);

}  // namespace holdfast
