#include "kinds/reasoning/anchors.h"

#include "base/text/text.h"
#include "session/kinds.h"
#include "session/limits.h"

#include <algorithm>
#include <charconv>

namespace holdfast::reasoning {

namespace {

constexpr std::string_view kAliases = "reasoning.aliases";
constexpr double kByAlias = 1.0, kByTag = 0.95, kLeastOverlap = 0.60;
// A range of thousands is a slip of the pen; the missing ones of it are not all listed.
constexpr std::int64_t kMaxChecked = 100;

bool is_keyword(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  const std::string folded = fold_case(text);
  for (const char c : folded + " ") {
    const auto byte = static_cast<unsigned char>(c);
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || byte >= 0x80) {
      word += c;
    } else if (!word.empty()) {
      words.push_back(std::move(word));
      word.clear();
    }
  }
  std::ranges::sort(words);
  words.erase(std::ranges::unique(words).begin(), words.end());
  return words;
}

// How many of the keyword's words the title has.
double overlap(const std::vector<std::string>& keyword, const std::vector<std::string>& title) {
  if (keyword.empty()) return 0;
  const auto shared =
      std::ranges::count_if(keyword, [&](const std::string& word) { return std::ranges::binary_search(title, word); });
  return static_cast<double>(shared) / static_cast<double>(keyword.size());
}

std::string alias_key(const std::string& principal, const std::string& alias) {
  return principal + "/" + fold_case(alias);
}

}  // namespace

std::string_view name_of(ResolvedAnchor::Status status) {
  switch (status) {
    case ResolvedAnchor::Status::resolved:
      return "resolved";
    case ResolvedAnchor::Status::ambiguous:
      return "ambiguous";
    case ResolvedAnchor::Status::unresolved:
      break;
  }
  return "unresolved";
}

std::vector<Anchor> find_anchors(std::string_view text) {
  std::vector<Anchor> anchors;
  for (std::size_t at = text.find('@'); at != std::string_view::npos; at = text.find('@', at + 1)) {
    std::size_t end = at + 1;
    while (end < text.size() && is_keyword(text[end])) ++end;
    if (end == at + 1 || !text.substr(end).starts_with(":S")) continue;
    Anchor anchor;
    anchor.keyword = text.substr(at + 1, end - at - 1);
    const char* const stop = text.data() + text.size();
    auto number = std::from_chars(text.data() + end + 2, stop, anchor.from);
    if (number.ec != std::errc{}) continue;
    anchor.to = anchor.from;
    const std::string_view rest(number.ptr, static_cast<std::size_t>(stop - number.ptr));
    if (rest.starts_with("-S")) {
      const auto second = std::from_chars(rest.data() + 2, stop, anchor.to);
      if (second.ec == std::errc{}) number = second;
    }
    anchor.text = std::string(text.data() + at, number.ptr);
    anchors.push_back(std::move(anchor));
  }
  return anchors;
}

Result<AnchorResolver> AnchorResolver::make(session::Reader& reader, const session::SessionRecord& referring) {
  AnchorResolver resolver;
  resolver.principal_ = referring.principal;
  session::Query query;
  query.kinds = {std::string(session::kReasoning)};
  query.principal = referring.principal;
  query.limit = session::kMaxListLimit;
  do {
    HF_TRY(session::Page page, reader.list(query));
    for (const session::SessionRecord& record : page.items)
      if (record.id != referring.id) resolver.sessions_.push_back({record.id, record.title, record.tags, words_of(record.title)});
    query.cursor = page.next_cursor;
  } while (!query.cursor.empty());
  return resolver;
}

ResolvedAnchor AnchorResolver::resolve(session::Reader& reader, const Anchor& anchor) const {
  ResolvedAnchor resolved;
  const auto take = [&](std::string via, double confidence, const std::vector<const Known*>& found) {
    if (found.empty() || resolved.status != ResolvedAnchor::Status::unresolved) return;
    resolved.via = std::move(via);
    resolved.confidence = confidence;
    if (found.size() > 1) {
      resolved.status = ResolvedAnchor::Status::ambiguous;
      for (const Known* each : found) resolved.candidates.push_back(each->id);
      return;
    }
    resolved.status = ResolvedAnchor::Status::resolved;
    resolved.session_id = found.front()->id;
    resolved.title = found.front()->title;
  };
  std::vector<const Known*> found;
  if (const auto alias = session_of_alias(reader, principal_, anchor.keyword); alias && *alias)
    for (const Known& known : sessions_)
      if (known.id == **alias) found.push_back(&known);
  take("alias", kByAlias, found);

  found.clear();
  for (const Known& known : sessions_)
    if (std::ranges::find(known.tags, anchor.keyword) != known.tags.end()) found.push_back(&known);
  take("tag", kByTag, found);

  found.clear();
  double best = kLeastOverlap;
  const std::vector<std::string> words = words_of(anchor.keyword);
  for (const Known& known : sessions_) {
    const double share = overlap(words, known.words);
    if (share < best) continue;
    if (share > best) found.clear();
    best = share;
    found.push_back(&known);
  }
  take("title", best, found);

  if (resolved.status != ResolvedAnchor::Status::resolved) return resolved;
  for (std::int64_t number = anchor.from; number <= anchor.to && number - anchor.from < kMaxChecked; ++number)
    if (const auto entry = reader.entry_at(resolved.session_id, "", number); entry && !*entry) resolved.missing.push_back(number);
  return resolved;
}

Result<void> set_alias(session::Transaction& transaction, const std::string& principal, const std::string& alias,
                       const std::string& session) {
  if (has_control_character(alias))
    return fail(ErrorKind::invalid, "an alias must not have control characters", {}, "invalid_argument");
  HF_CHECK(transaction.put(kAliases, alias_key(principal, alias), JsonObject{{"session", session}}));
  return {};
}

Result<std::optional<std::string>> session_of_alias(session::Reader& reader, const std::string& principal,
                                                    const std::string& alias) {
  const std::string key = alias_key(principal, alias);
  if (key.size() > session::kMaxValueKeyBytes) return std::nullopt;
  HF_TRY(auto value, reader.value(kAliases, key));
  if (!value || !value->value.is_object()) return std::nullopt;
  const auto session = find_string(value->value.as_object(), "session");
  if (!session) return std::nullopt;
  return std::string(*session);
}

}  // namespace holdfast::reasoning
