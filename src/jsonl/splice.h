#pragma once

// Changes chosen strings of a line and not one other byte.
//
//   Splicer splicer({.replacements = {{"/sessionId", new_id}},
//                    .decide = [&](StringSite& site) { ... site.replace(from, to, new_root) ... },
//                    .untouched = {"/forkedFrom/**"},
//                    .untouched_objects = {{"type", "thinking"}}});
//   const LineReport report = splicer.splice(line.text, out);   // appended to out
//
// Rules see what a string means, so every spelling of a text is the same to them; what they put in its place is spelled
// in the manner of the string it stands in. A name that occurs twice in an object is changed at every occurrence: whichever of
// them a reader believes, it reads the new value. Fused lines are changed in each of their values. A line that is
// not JSON, or that no rule changes, is copied as it is; the report says which. Bytes inside strings that are not UTF-8
// are carried along. The whole of a small JSON file may be given as a line too.
//
// One thread at a time; keep a Splicer for many lines. Rules are called on the caller's thread, in the order of the line.

#include "base/result.h"
#include "jsonl/path.h"
#include "jsonl/scan.h"
#include "jsonl/spelling.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::jsonl {

// A change to a text. As a list, changes can be looked at, joined with others, and applied.
// `length` bytes at `offset` give way to `bytes`. Length 0 inserts.
struct Edit {
  std::size_t offset = 0;
  std::size_t length = 0;
  std::string bytes;

  bool operator==(const Edit&) const = default;
};

// Appends `text` with the edits made: the slices between them are copied, nothing else is looked at. The edits are
// ascending and do not overlap; several insertions at one place keep their order. Errors: invalid (they do not fit
// the text; nothing is appended).
Result<void> append_edited(std::string& out, std::string_view text, std::span<const Edit> edits);

// A key or a string value, while a rule looks at it; lives as long as that call.
class StringSite {
 public:
  bool is_key() const { return is_key_; }
  const Path& path() const { return path_; }  // of a key: ends with the key itself
  std::string_view raw() const { return raw_; }
  std::string_view text();  // what it means (spelling.h); decoded when first asked for
  bool is(std::string_view text) const { return spells(raw_, text); }
  bool starts_with(std::string_view text) const { return spelling_starts_with(raw_, text); }

  // Replaces the whole string, unless something of it was replaced before (then false).
  bool replace(std::string_view text);
  // Replaces the bytes from..to of text(); everything around keeps its spelling. Several times in ascending order. False, and
  // nothing is changed, for a range that overlaps an earlier one, lies outside, or cuts a character.
  bool replace(std::size_t from, std::size_t to, std::string_view text);
  // Replaces every occurrence of `old_text` behind what was replaced before, and says how many there were. The same as
  // searching text(), but decodes only where the spelling demands it. Nothing more can be replaced afterwards.
  std::size_t replace_each(std::string_view old_text, std::string_view text);

 private:
  friend class EditFinder;
  StringSite(std::string_view line, const Path& path, std::string_view raw, bool is_key, std::vector<Edit>& edits,
             std::string& scratch)
      : line_(line), path_(path), raw_(raw), is_key_(is_key), edits_(edits), scratch_(scratch), cursor_(raw) {}
  void add(std::size_t raw_from, std::size_t raw_to, std::string_view text);

  std::string_view line_;
  const Path& path_;
  std::string_view raw_;
  bool is_key_;
  std::vector<Edit>& edits_;
  std::string& scratch_;  // shared by the sites of a line
  SpellingCursor cursor_;
  std::size_t replaced_to_ = 0;  // in text()
  bool replaced_ = false;
  std::optional<std::string_view> text_;
  std::optional<SpellingStyle> style_;
};

struct PathReplacement {
  PathPattern where;  // string values there ...
  std::string text;   // ... get this text; what is not a string stays
};

// Objects that have a string member `key` with the value `value`.
struct ObjectMark {
  std::string key;
  std::string value;
};

struct SpliceRules {
  std::vector<PathReplacement> replacements;
  std::function<void(StringSite&)> decide;  // asked about every key, and every string that no replacement took; may be empty
  // Nothing is changed at these places ...
  std::vector<PathPattern> untouched;
  // ... nor anywhere inside these objects, wherever in the object the mark stands.
  std::vector<ObjectMark> untouched_objects;
};

// An object or array that is being walked through; internal.
struct SpliceOpen {
  std::size_t edits_before;
  bool untouchable;
};

class Splicer {
 public:
  explicit Splicer(SpliceRules rules) : rules_(std::move(rules)) {}

  // The edits for this line; none unless it is parsed.
  LineReport find(std::string_view line, std::vector<Edit>& edits);
  // Appends the line with its edits made.
  LineReport splice(std::string_view line, std::string& out);
  // How many edits the last splice made.
  std::size_t last_edits() const { return edits_.size(); }

 private:
  SpliceRules rules_;
  Structure structure_;
  Path path_;
  std::vector<Edit> edits_;
  std::string scratch_;
  std::vector<SpliceOpen> open_;
};

}  // namespace holdfast::jsonl
