#pragma once

// References inside a schema document: URIs resolved against a base (RFC 3986 §5), and JSON pointers
// (RFC 6901) followed to the value they name. Purely lexical; nothing is ever fetched.

#include "base/json/json.h"

#include <optional>
#include <string>
#include <string_view>

namespace holdfast::schema {

// Resolved identifiers longer than this are refused: every embedded resource keeps its own.
inline constexpr std::size_t kMaxUriBytes = 2048;

struct Reference {
  std::string uri;       // absolute where the base was, without a fragment
  std::string fragment;  // percent-decoded; empty when there is none
};

// nullopt for broken percent-encoding in the fragment, or a result above kMaxUriBytes.
std::optional<Reference> resolve_reference(std::string_view base, std::string_view reference);

// nullptr when the pointer is malformed or names nothing.
const Json* follow_pointer(const Json& root, std::string_view pointer);

void append_pointer_token(std::string& pointer, std::string_view token);  // with the slash, ~ and / escaped

}  // namespace holdfast::schema
