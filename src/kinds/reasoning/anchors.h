#pragma once

// References from one session to thoughts of another, written in text as @keyword:S12 or @keyword:S12-S15 (X4). The keyword is an
// alias, a tag, or words of a title; what it means is found when the session is exported, never stored.

#include "session/store.h"

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::reasoning {

struct Anchor {
  std::string text;  // as written
  std::string keyword;
  std::int64_t from = 0, to = 0;  // thought numbers
};
std::vector<Anchor> find_anchors(std::string_view text);

struct ResolvedAnchor {
  enum class Status { resolved, ambiguous, unresolved } status = Status::unresolved;
  std::string session_id, title;
  std::string via;  // "alias", "tag", "title"
  double confidence = 0;
  std::vector<std::int64_t> missing;    // numbers the session does not have
  std::vector<std::string> candidates;  // when ambiguous
};
std::string_view name_of(ResolvedAnchor::Status status);

// Looks keywords up among the sessions of a principal, other than the one that holds the anchors; reads them once.
class AnchorResolver {
 public:
  static Result<AnchorResolver> make(session::Reader& reader, const session::SessionRecord& referring);
  // Never fails because of the anchor: what cannot be read is unresolved.
  ResolvedAnchor resolve(session::Reader& reader, const Anchor& anchor) const;

 private:
  struct Known {
    std::string id, title;
    std::vector<std::string> tags, words;
  };
  std::vector<Known> sessions_;
  std::string principal_;
};

// Aliases: a word for a session.
Result<void> set_alias(session::Transaction& transaction, const std::string& principal, const std::string& alias,
                       const std::string& session);
Result<std::optional<std::string>> session_of_alias(session::Reader& reader, const std::string& principal,
                                                    const std::string& alias);

}  // namespace holdfast::reasoning
