// How chosen strings of a line are changed, and not one other byte.
//
// A line goes in, and one walk over it tells us of every key and string in its order. For each the rules are asked: replacements
// by place first, then the function that decides. They see what a string means, and say what it shall mean; what is kept of that
// is an Edit, the bytes of the line that give way and those that come instead, in the spelling of the string around them. At the
// end the line is copied with its edits made. Nothing is parsed into values and written again, because numbers, blanks, escapes
// and broken bytes would not come out as they went in.
//
// Two things are only known later than they are needed. Whether an object must not be touched may stand in its last member: the
// object remembers how many edits there were when it began, and has its own taken back. And whether the line is JSON at all is
// known at its end: then all are. To search in long strings, the text is sought as it is spelled when it can be spelled in one
// way only, so that most strings are never decoded.

#include "jsonl/splice.h"

#include "base/text/find_bytes.h"
#include "jsonl/walk.h"

#include <algorithm>
#include <cstring>

namespace holdfast::jsonl {
namespace {

Result<void> check_fit(std::string_view text, std::span<const Edit> edits) {
  std::size_t end = 0;
  for (const Edit& edit : edits) {
    if (edit.offset < end || edit.offset > text.size() || edit.length > text.size() - edit.offset)
      return fail(ErrorKind::invalid, "edits that overlap, are out of order, or reach behind the end of the text");
    end = edit.offset + edit.length;
  }
  return {};
}

// Can `text` stand in `raw` only letter by letter? Not when it has characters that must be escaped, or raw has escapes
// that could stand for any.
bool has_one_spelling(std::string_view text, std::string_view raw) {
  bool has_slash = false;
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\') return false;
    has_slash |= c == '/';
  }
  return !may_have_escape(raw, 'u') && !(has_slash && may_have_escape(raw, '/'));
}

// Is the character at `at` the second half of an escape?
bool escaped_at(std::string_view raw, std::size_t at) {
  std::size_t before = at;
  while (before > 0 && raw[before - 1] == '\\') --before;
  return (at - before) % 2 == 1;
}

}  // namespace

Result<void> append_edited(std::string& out, std::string_view text, std::span<const Edit> edits) {
  HF_CHECK(check_fit(text, edits));
  std::size_t size = out.size() + text.size();
  for (const Edit& edit : edits) size += edit.bytes.size();
  out.reserve(size);  // else a long line is moved once more for its last few bytes
  std::size_t done = 0;
  for (const Edit& edit : edits) {
    out += text.substr(done, edit.offset - done);
    out += edit.bytes;
    done = edit.offset + edit.length;
  }
  out += text.substr(done);
  return {};
}

std::string_view StringSite::text() {
  if (!text_) {
    text_ = raw_;
    if (raw_.find('\\') != std::string_view::npos) {
      scratch_.clear();
      append_text(scratch_, raw_);
      text_ = scratch_;
    }
  }
  return *text_;
}

bool StringSite::replace(std::string_view text) {
  if (replaced_) return false;
  add(0, raw_.size(), text);
  replaced_to_ = std::string_view::npos;
  return true;
}

bool StringSite::replace(std::size_t from, std::size_t to, std::string_view text) {
  if (from < replaced_to_ || from > to) return false;
  SpellingCursor cursor = cursor_;
  const auto raw_from = cursor.raw_offset(from);
  const auto raw_to = raw_from ? cursor.raw_offset(to) : std::nullopt;
  if (!raw_to) return false;
  cursor_ = cursor;
  replaced_to_ = to;
  add(*raw_from, *raw_to, text);
  return true;
}

std::size_t StringSite::replace_each(std::string_view old_text, std::string_view text) {
  if (old_text.empty() || replaced_to_ == std::string_view::npos) return 0;
  std::size_t count = 0;
  if (has_one_spelling(old_text, raw_)) {
    for (std::size_t at = find_bytes(raw_, old_text, cursor_.raw_at()); at != std::string_view::npos;) {
      const bool is_escaped = escaped_at(raw_, at);  // the "n" of a "\n" is not the letter
      if (!is_escaped) add(at, at + old_text.size(), text), ++count;
      at = find_bytes(raw_, old_text, at + (is_escaped ? 1 : old_text.size()));
    }
  } else {
    for (std::size_t at = find_bytes(this->text(), old_text, replaced_to_); at != std::string_view::npos;) {
      const bool done = replace(at, at + old_text.size(), text);
      if (done) ++count;
      at = find_bytes(this->text(), old_text, at + (done ? old_text.size() : 1));
    }
  }
  replaced_ = true;
  replaced_to_ = std::string_view::npos;
  return count;
}

void StringSite::add(std::size_t raw_from, std::size_t raw_to, std::string_view text) {
  replaced_ = true;
  const std::string_view old = raw_.substr(raw_from, raw_to - raw_from);
  if (spells(old, text)) return;  // it says so already, in a spelling of its own
  Edit edit{static_cast<std::size_t>(old.data() - line_.data()), old.size(), {}};
  if (!style_) style_ = style_of(raw_);
  append_spelling(edit.bytes, text, *style_);
  edits_.push_back(std::move(edit));
}

// Gathers the edits of one line. Objects that turn out to be untouchable at their last member have theirs taken back.
class EditFinder {
 public:
  EditFinder(std::string_view line, const SpliceRules& rules, std::vector<Edit>& edits, std::string& scratch,
             std::vector<SpliceOpen>& open)
      : line_(line), rules_(rules), edits_(edits), scratch_(scratch), open_(open) {
    open_.clear();
  }

  void on_key(const Path& path, std::string_view raw) {
    if (rules_.decide) ask(path, raw, true);
  }
  void on_string(const Path& path, std::string_view raw) {
    for (const ObjectMark& mark : rules_.untouched_objects)  // the value first: its length alone says no to nearly all
      if (!path.empty() && spells(raw, mark.value) && path.last().is(mark.key)) open_.back().untouchable = true;
    ask(path, raw, false);
  }
  void on_scalar(const Path&, std::string_view) {}
  void on_open(const Path&, const char*) { open_.push_back({edits_.size(), false}); }
  void on_close(const Path&, const char*) {
    if (open_.back().untouchable) edits_.resize(open_.back().edits_before);
    open_.pop_back();
  }

 private:
  void ask(const Path& path, std::string_view raw, bool is_key) {
    const std::size_t before = edits_.size();
    StringSite site(line_, path, raw, is_key, edits_, scratch_);
    const bool taken = !is_key && replaced_by_path(site);
    if (!taken && rules_.decide) rules_.decide(site);
    if (edits_.size() == before) return;
    const auto covers = [&](const PathPattern& pattern) { return pattern.matches(path); };
    if (std::ranges::any_of(rules_.untouched, covers)) edits_.resize(before);
  }

  bool replaced_by_path(StringSite& site) const {
    for (const PathReplacement& replacement : rules_.replacements)
      if (replacement.where.matches(site.path())) return site.replace(replacement.text);
    return false;
  }

  std::string_view line_;
  const SpliceRules& rules_;
  std::vector<Edit>& edits_;
  std::string& scratch_;
  std::vector<SpliceOpen>& open_;
};

LineReport Splicer::find(std::string_view line, std::vector<Edit>& edits) {
  edits.clear();
  EditFinder finder(line, rules_, edits, scratch_, open_);
  const LineReport report = scan_line(line, structure_, path_, finder);
  if (!report.parsed()) edits.clear();
  return report;
}

LineReport Splicer::splice(std::string_view line, std::string& out) {
  const LineReport report = find(line, edits_);
  // The edits come in the order of the line from one walk, so they fit; if they ever did not, the line stays as it is.
  if (edits_.empty() || !append_edited(out, line, edits_)) out += line;
  return report;
}

}  // namespace holdfast::jsonl
