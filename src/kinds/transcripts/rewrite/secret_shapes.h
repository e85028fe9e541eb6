#pragma once

// The credentials we know by their looks. Only shapes that carry their own proof (a vendor's prefix and length, a name in front
// of the value) are here: a guess by entropy would mask hashes, ids and images, which transcripts are full of.
//
// Internal to redact.cpp; a shape is added by adding a row.

#include <span>
#include <string_view>

namespace holdfast::transcripts {

struct SecretShape {
  std::string_view name;  // stands in the mask: "[redacted:github-token]"
  // How it begins: what the fast search looks for. Exactly these bytes, not inside a word; or, for a name that stands in front of
  // the value ("AWS_SECRET_ACCESS_KEY=..."), letters of either case anywhere.
  std::string_view begins;
  bool is_name = false;
  // RE2, matched from where `begins` was found. Group 1, when there is one, is what gets masked, else the whole match. No pattern
  // may read past the beginning of the next candidate without consuming it: that is what keeps the search linear.
  std::string_view pattern;
};

std::span<const SecretShape> secret_shapes();

}  // namespace holdfast::transcripts
