#include "session/life/text_remover.h"

#include "base/text/text.h"
#include "session/entry.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <unordered_map>

namespace holdfast::session {

namespace {

// A shorter piece ("yes.", "in the end") stands in texts that have nothing to do with the removed one.
constexpr std::size_t kShortestPiece = 16;

// Members that tell what an entry is; they hold ids and words of ours, never text of a person or a source.
constexpr std::array kStructure = {"id",         "role",        "type",     "unit",         "phase",      "status",
                                   "confidence", "severity",    "fidelity", "provider",     "model",      "sub_query_id",
                                   "source_ids", "finding_ids", "gap_ids",  "resolved_ids", "notice",     "state",
                                   "kind",       "category",    "action",   "retrieved_at", "report_kind"};

bool replace_all(std::string& text, std::string_view what, std::string_view with) {
  bool changed = false;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size())) {
    text.replace(at, what.size(), with);
    changed = true;
  }
  return changed;
}

// Places where an expression matches without any text (\b) have nothing to be replaced.
bool replace_matches(std::string& text, const re2::RE2& expression) {
  std::string out;
  std::size_t copied = 0, from = 0;
  re2::StringPiece match;
  while (from <= text.size() &&
         expression.Match(re2::StringPiece(text.data(), text.size()), from, text.size(), re2::RE2::UNANCHORED, &match, 1)) {
    const auto at = static_cast<std::size_t>(match.data() - text.data());
    from = at + std::max<std::size_t>(match.size(), 1);
    if (match.empty()) continue;
    out.append(text, copied, at - copied).append(kRedactedText);
    copied = from;
  }
  if (copied == 0) return false;
  text = out.append(text, copied);
  return true;
}

void add_piece(std::vector<std::string>& pieces, std::string_view piece) {
  piece = trim(piece);
  if (piece.size() >= kShortestPiece) pieces.emplace_back(piece);
}

// Lines, and within them sentences.
void add_pieces(std::vector<std::string>& pieces, std::string_view text) {
  add_piece(pieces, text);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    add_piece(pieces, line);
    for (std::size_t i = 0; i + 1 < line.size(); ++i) {
      if ((line[i] != '.' && line[i] != '!' && line[i] != '?') || line[i + 1] != ' ') continue;
      add_piece(pieces, line.substr(0, i + 1));
      line.remove_prefix(i + 2);
      i = 0;
    }
    add_piece(pieces, line);
  }
}

// Finds any of many pieces in one pass: every piece is at least as long as the window, and is looked up by its first bytes.
class PieceIndex {
 public:
  explicit PieceIndex(std::vector<std::string> pieces) {
    // The longest first: a sentence must not break the paragraph that holds it.
    std::ranges::sort(
        pieces, [](const std::string& a, const std::string& b) { return a.size() != b.size() ? a.size() > b.size() : a < b; });
    pieces.erase(std::ranges::unique(pieces).begin(), pieces.end());
    for (std::string& piece : pieces) by_start_[piece.substr(0, kShortestPiece)].push_back(std::move(piece));
  }

  bool replace_in(std::string& text) const {
    if (text.size() < kShortestPiece || by_start_.empty()) return false;
    std::string out;
    std::size_t copied = 0;
    for (std::size_t at = 0; at + kShortestPiece <= text.size();) {
      const std::size_t length = length_at(text, at);
      if (length == 0) {
        ++at;
        continue;
      }
      out.append(text, copied, at - copied).append(kRedactedText);
      at += length;
      copied = at;
    }
    if (copied == 0) return false;
    out.append(text, copied);
    text = std::move(out);
    return true;
  }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };

  std::size_t length_at(std::string_view text, std::size_t at) const {
    const auto found = by_start_.find(text.substr(at, kShortestPiece));
    if (found == by_start_.end()) return 0;
    for (const std::string& piece : found->second)
      if (text.substr(at, piece.size()) == piece) return piece.size();
    return 0;
  }

  std::unordered_map<std::string, std::vector<std::string>, Hash, std::equal_to<>> by_start_;
};

bool clean_with(const std::function<bool(std::string&)>& replace, Json& value) {
  if (value.is_string()) {
    std::string text(value.get_string());
    if (!replace(text)) return false;
    value = text;
    return true;
  }
  bool changed = false;
  if (value.is_array())
    for (Json& each : value.get_array()) changed |= clean_with(replace, each);
  if (value.is_object())
    for (auto& member : value.get_object()) changed |= clean_with(replace, member.value());
  return changed;
}

}  // namespace

Result<TextRemover> TextRemover::of_pattern(std::string_view pattern, bool regex) {
  if (!regex) {
    return TextRemover([what = std::string(pattern)](std::string& text) { return replace_all(text, what, kRedactedText); });
  }
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_longest_match(true);  // rather too much than a rest
  auto expression = std::make_shared<re2::RE2>(re2::StringPiece(pattern.data(), pattern.size()), options);
  if (!expression->ok())
    return fail(ErrorKind::invalid, fmt::format("pattern is not a regular expression: {}", expression->error()), {},
                "VALIDATION_ERROR");
  if (re2::RE2::FullMatch("", *expression))
    return fail(ErrorKind::invalid, "pattern matches the empty text", "name at least one character", "VALIDATION_ERROR");
  return TextRemover([expression](std::string& text) { return replace_matches(text, *expression); });
}

TextRemover TextRemover::of_pieces(const std::vector<std::string>& texts) {
  std::vector<std::string> pieces;
  for (const std::string& text : texts) add_pieces(pieces, text);
  return TextRemover([index = PieceIndex(std::move(pieces))](std::string& text) { return index.replace_in(text); });
}

bool TextRemover::clean(std::string& text) const {
  return replace_(text);
}

bool TextRemover::clean(Json& value) const {
  return clean_with(replace_, value);
}

bool TextRemover::clean(JsonObject& object) const {
  bool changed = false;
  for (auto& member : object) changed |= clean_with(replace_, member.value());
  return changed;
}

void blank_out(Json& value) {
  if (value.is_string()) {
    value = kRedactedText;
  } else if (value.is_array()) {
    for (Json& each : value.get_array()) blank_out(each);
  } else if (value.is_object()) {
    for (auto& member : value.get_object())
      if (std::ranges::find(kStructure, std::string_view(member.key())) == kStructure.end()) blank_out(member.value());
  }
}

}  // namespace holdfast::session
