// The story of this file. In goes a document with the changes that wait in it, and what shall stand in some ranges of its
// accepted view; out come the document's new bytes, with the edit as one more pending change. Marks cannot simply be put
// around the ranges: the view is not the document (changes hide text, metadata is invisible), and a mark inside of another
// mark is not a mark. So:
//   1. Old and new text are compared word by word, so that a person sees what changed and not that a paragraph was sent
//      again.
//   2. Differences with only blanks between them become one, or "a b" -> "c d" would be read as two changes.
//   3. A difference that reaches into a pending change takes in the whole of it: half a mark has no meaning. That may bring
//      two differences together, so this is repeated until nothing grows.
//   4. to 6. Each is written: what the base view has there is taken away, the new text is brought; a change that says what
//      the base says already falls back to it and is gone.
//   7. All between is copied byte for byte, so that nothing changes which nobody asked to change.
// Then the result is parsed again and both views are compared with what was meant. Without that a text that looks like a
// mark, or one that becomes a mark with its neighbours, would silently change what somebody else wrote; with it such an edit
// is refused.

#include "kinds/documents/text/merge.h"

#include "base/text/text.h"
#include "kinds/documents/text/delimiters.h"
#include "kinds/documents/text/match.h"
#include "kinds/documents/text/tokens.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace holdfast::documents {

namespace {

constexpr std::size_t kRoomForMarks = 4096;  // so that a long text is not copied because it grows by a change
constexpr std::size_t kQuoted = 120;         // characters of a comment that an error shows

// A place of the accepted view and what shall stand there, as bytes of the document (metadata of comments included).
struct Hunk {
  std::size_t begin = 0, end = 0;
  std::string text;
};

// Hunks that become one change, and how far it reaches.
struct Group {
  std::size_t begin = 0, end = 0;
  std::vector<Hunk> hunks;  // in order, apart from each other
};

bool only_blanks(std::string_view text) {
  return text.find_first_not_of(" \t") == std::string_view::npos;
}

// A line break in a comment is stored as \\n (§6.5); for the rest a model writes what it sees stored.
std::string one_line_note(std::string_view note) {
  std::string out;
  for (const char c : note) {
    if (c == '\n')
      out += "\\n";
    else if (c != '\r')
      out += c;
  }
  return out;
}

// Drops what a model says about who wrote a comment, and says it truly.
std::string stamp_comment(std::string_view comment, const Author& author) {
  std::string_view note = comment.substr(kDelimiterBytes);
  if (const auto metadata = read_metadata(note)) note.remove_prefix(metadata->bytes);
  return fmt::format("{}{}{}", opener_of(Block::comment), write_metadata({}, author.label, author.now, author.by),
                     one_line_note(note));
}

// A token of the new text as it is written at this place; of a comment with who makes it.
std::string written(const Token& token, std::string_view line_break, const Author* commenting) {
  if (token.text == "\n") return std::string(line_break);
  const bool is_comment = opener_at(token.text, 0) == Block::comment && token.text.ends_with(closer_of(Block::comment));
  return is_comment && commenting ? stamp_comment(token.text, *commenting) : std::string(token.text);
}

// Where the new texts of an edit show what looks like a comment and is an example, because it stands in code.
class NewExamples {
 public:
  // In order and apart from each other.
  NewExamples(std::string_view text, const std::vector<Replacement>& replacements) {
    const bool any =
        std::ranges::any_of(replacements, [](const Replacement& each) { return each.text.contains(opener_of(Block::comment)); });
    if (!any) return;
    std::string after;
    std::size_t copied = 0;
    for (const Replacement& each : replacements) {
      after += text.substr(copied, each.begin - copied);
      begins_.push_back(after.size());
      after += each.text;
      copied = each.end;
    }
    after += text.substr(copied);
    in_code_ = find_openers_in_code(after);
  }

  // At this position in the text of a replacement.
  bool has_one_at(std::size_t replacement, std::size_t position) const {
    return replacement < begins_.size() && in_code_.contains(begins_[replacement] + position);
  }

 private:
  std::vector<std::size_t> begins_;  // of the new texts, in the text that they lead to
  std::set<std::size_t> in_code_;
};

std::vector<std::string> keys_of(const std::vector<Token>& tokens, Likeness likeness) {
  std::vector<std::string> keys;
  keys.reserve(tokens.size());
  for (const Token& token : tokens) keys.push_back(like_key(token.text, likeness));
  return keys;
}

// Whether a group has to take in the whole of a change that is placed here (step 3).
bool reaches_into(const Group& group, const Placed& change) {
  if (group.begin == group.end) return change.begin < group.begin && group.begin < change.end;
  return group.begin < change.end && change.begin < group.end;
}

class Merge {
 public:
  Merge(const AcceptedView& view, const Author& author) : view_(view), author_(author) {}

  Result<Merged> run(const std::vector<Replacement>& replacements, Likeness likeness) {
    const std::vector<Replacement> whole = whole_characters(replacements);
    const NewExamples examples(view_.text(), whole);
    std::vector<Hunk> wanted;
    for (std::size_t i = 0; i < whole.size(); ++i) compare(whole[i], likeness, examples, i, wanted);
    if (wanted.empty()) {
      merged_.raw = view_.raw();
      merged_.unchanged = true;
      return std::move(merged_);
    }
    HF_CHECK(check_comments(wanted));
    id_ = fresh_id();
    merged_.raw.reserve(view_.raw().size() + kRoomForMarks);
    for (const Group& group : closed(joined(wanted))) {
      copy_up_to(group.begin);
      HF_CHECK(write_change({group.begin, group.end, text_of(group)}));
    }
    copy_up_to(std::string::npos);
    HF_CHECK(check(wanted));
    return std::move(merged_);
  }

 private:
  // An edit that begins or ends inside of a visible character, a line break or a comment is one of the whole; two that share one
  // are a single edit.
  std::vector<Replacement> whole_characters(const std::vector<Replacement>& replacements) const {
    const std::string_view text = view_.text();
    const std::vector<Comment> comments = find_comments(text);
    std::vector<Replacement> whole;
    std::size_t last_end = 0;  // of the last replacement, before it was widened
    for (const Replacement& each : replacements) {
      std::size_t begin = each.begin;
      const std::size_t end = each.end;
      if (begin > 0 && begin < end && text[begin] == '\n' && text[begin - 1] == '\r') --begin;
      std::size_t from = character_begin(text, begin), to = character_end(text, end);
      auto comment = std::ranges::upper_bound(comments, from, {}, &Comment::end);
      if (comment != comments.end() && comment->begin < from) from = comment->begin;
      comment = std::ranges::upper_bound(comments, to, {}, &Comment::end);
      if (comment != comments.end() && comment->begin < to) to = comment->end;
      if (!whole.empty() && from < whole.back().end) {
        // What the last one took over behind its own end is replaced by this one from there on.
        Replacement& last = whole.back();
        const std::size_t copied = last.end - std::max(begin, last_end);
        last.text.resize(last.text.size() - copied);
        last.text += each.text;
        last.text += text.substr(end, to - end);
        last.end = std::max(last.end, to);
      } else {
        whole.push_back(
            {from, to, fmt::format("{}{}{}", text.substr(from, begin - from), each.text, text.substr(end, to - end))});
      }
      last_end = end;
    }
    return whole;
  }

  // Step 1: where old and new differ.
  void compare(const Replacement& each, Likeness likeness, const NewExamples& examples, std::size_t replacement,
               std::vector<Hunk>& hunks) const {
    const std::string_view text = view_.text();
    const std::size_t from = each.begin;
    const std::string_view old_text = text.substr(from, each.end - from);
    const std::vector<Token> before = tokens_of(old_text), after = tokens_of(each.text);
    // Line breaks alone never make a difference: a model does not see which kind they are.
    const Likeness at_least = std::max(likeness, Likeness::line_breaks);
    for (const Difference& difference : differences(keys_of(before, at_least), keys_of(after, at_least))) {
      Hunk hunk;
      const auto edge = [&](std::size_t index) { return from + (index < before.size() ? before[index].begin : old_text.size()); };
      hunk.begin = edge(difference.a_begin);
      hunk.end = difference.a_end == difference.a_begin ? hunk.begin : from + before[difference.a_end - 1].end;
      const std::string_view line_break = line_break_at(text, hunk.begin);
      for (std::size_t i = difference.b_begin; i < difference.b_end; ++i)
        hunk.text += written(after[i], line_break, examples.has_one_at(replacement, after[i].begin) ? nullptr : &author_);
      hunks.push_back(std::move(hunk));
    }
  }

  static void unite(Group& group, Group&& other) {
    group.end = std::max(group.end, other.end);
    for (Hunk& hunk : other.hunks) group.hunks.push_back(std::move(hunk));
  }

  // Step 2: "a b" -> "c d" is one change, not two.
  std::vector<Group> joined(const std::vector<Hunk>& hunks) const {
    const std::string_view text = view_.text();
    std::vector<Group> groups;
    for (const Hunk& hunk : hunks) {
      Group group{hunk.begin, hunk.end, {hunk}};
      if (!groups.empty() && only_blanks(text.substr(groups.back().end, hunk.begin - groups.back().end)))
        unite(groups.back(), std::move(group));
      else
        groups.push_back(std::move(group));
    }
    return groups;
  }

  // Step 3: a pending change is replaced as a whole or not at all.
  std::vector<Group> closed(std::vector<Group> groups) const {
    bool moved = true;
    while (moved) {
      moved = false;
      for (Group& group : groups) moved |= grow(group);
      std::vector<Group> merged;
      for (Group& group : groups) {
        if (!merged.empty() && merged.back().end >= group.begin) {
          unite(merged.back(), std::move(group));
          moved = true;
        } else {
          merged.push_back(std::move(group));
        }
      }
      groups = std::move(merged);
    }
    return groups;
  }

  bool grow(Group& group) const {
    const std::vector<Placed>& placed = view_.placed();
    const auto [begin, end] = std::pair(group.begin, group.end);
    auto place = std::ranges::lower_bound(placed, begin, {}, &Placed::end);
    for (; place != placed.end() && place->begin <= end; ++place) {
      if (place->atom->kind != Atom::Kind::change || place->begin == place->end || !reaches_into(group, *place)) continue;
      group.begin = std::min(group.begin, place->begin);
      group.end = std::max(group.end, place->end);
    }
    return group.begin != begin || group.end != end;
  }

  // Step 5: the accepted text of the group with its hunks put in.
  std::string text_of(const Group& group) const {
    std::string text;
    std::size_t copied = group.begin;
    for (const Hunk& hunk : group.hunks) {
      text += view_.rich(copied, hunk.begin) + hunk.text;
      copied = hunk.end;
    }
    return text + view_.rich(copied, group.end);
  }

  // Step 7: everything between hunks as it is. Pure deletions at the border of a hunk stay outside of it; at an insertion, in
  // front.
  void copy_up_to(std::size_t position) {
    const std::vector<Placed>& placed = view_.placed();
    while (next_ < placed.size()) {
      const Placed& place = placed[next_];
      const Atom& atom = *place.atom;
      if (place.begin == place.end) {
        if (place.begin > position) return;
        merged_.raw += view_.raw().substr(atom.begin, atom.end - atom.begin);
        ++next_;
        continue;
      }
      const std::size_t from = std::max(place.begin, at_);
      const std::size_t to = std::min(place.end, position);
      if (atom.kind == Atom::Kind::plain) {
        if (from < to) view_.append_rich(merged_.raw, from, to);
      } else if (from == place.begin && to == place.end) {
        merged_.raw += view_.raw().substr(atom.begin, atom.end - atom.begin);
      } else {
        return;  // begins at the hunk: closed() has made sure that it is inside of it as a whole
      }
      at_ = std::max(at_, to);
      if (place.end > position) return;
      ++next_;
    }
  }

  // Steps 4 to 6.
  Result<void> write_change(const Hunk& hunk) {
    std::string base;
    const std::vector<Placed>& placed = view_.placed();
    std::size_t i = next_;
    for (; i < placed.size() && placed[i].begin < hunk.end; ++i) {
      const Placed& place = placed[i];
      const Atom& atom = *place.atom;
      if (atom.kind == Atom::Kind::plain) {
        base += view_.rich(std::max(place.begin, hunk.begin), std::min(place.end, hunk.end));
        if (place.end > hunk.end) break;
        continue;
      }
      base += atom.del;
      merged_.superseded.push_back({atom.id, atom.author, std::string(atom.del), std::string(atom.ins), is_own(atom)});
    }
    next_ = i;
    at_ = hunk.end;
    if (visible_text(base).text == visible_text(hunk.text).text) {
      merged_.raw += base;
      ++merged_.withdrawn;
      return {};
    }
    return write_pair(base, hunk.text);
  }

  // What both sides begin and end with was not changed.
  Result<void> write_pair(std::string_view base, std::string_view text) {
    const std::vector<Token> before = tokens_of(base), after = tokens_of(text);
    std::size_t head = 0, tail = 0;
    const std::size_t shorter = std::min(before.size(), after.size());
    while (head < shorter && before[head].text == after[head].text) ++head;
    while (tail < shorter - head && before[before.size() - 1 - tail].text == after[after.size() - 1 - tail].text) ++tail;
    const auto middle = [&](std::string_view whole, const std::vector<Token>& tokens) {
      const std::size_t begin = head == 0 ? 0 : tokens[head - 1].end;
      const std::size_t end = tail == 0 ? whole.size() : tokens[tokens.size() - tail].begin;
      return std::pair(begin, end);
    };
    const auto [base_begin, base_end] = middle(base, before);
    const auto [text_begin, text_end] = middle(text, after);
    const std::string_view del = base.substr(base_begin, base_end - base_begin);
    const std::string_view ins = text.substr(text_begin, text_end - text_begin);
    for (const std::string_view payload : {del, ins})
      if (const auto delimiter = find_delimiter(payload))
        return fail(ErrorKind::refused, fmt::format("the change would contain {}", *delimiter),
                    "write the text without CriticMarkup; the marks are added for you", "markup_in_input");
    const std::string metadata = write_metadata(id_, author_.label, author_.now, author_.by);
    merged_.raw += base.substr(0, base_begin);
    if (!del.empty()) merged_.raw += fmt::format("{{--{}{}--}}", metadata, del);
    if (!ins.empty()) merged_.raw += fmt::format("{{++{}{}++}}", metadata, ins);
    merged_.raw += base.substr(base_end);
    merged_.id = id_;
    return {};
  }

  std::string fresh_id() const {
    std::set<std::string_view> taken;
    for (const Atom& atom : view_.atoms()) taken.insert(atom.id);
    std::string id = author_.make_id();
    while (taken.contains(id)) id = author_.make_id();
    return id;
  }

  // Whether the new accepted view is the old one with the hunks put in.
  bool is_intended(std::string_view after, const std::vector<Hunk>& hunks) const {
    const std::string_view before = view_.text();
    std::size_t copied = 0;
    const auto next = [&](std::string_view expected) {
      if (!after.starts_with(expected)) return false;
      after.remove_prefix(expected.size());
      return true;
    };
    for (const Hunk& hunk : hunks) {
      if (!next(before.substr(copied, hunk.begin - copied)) || !next(visible_text(hunk.text).text)) return false;
      copied = hunk.end;
    }
    return next(before.substr(copied)) && after.empty();
  }

  // §6.4, and §6.5 for comments: on the bytes about to be written.
  Result<void> check(const std::vector<Hunk>& hunks) {
    AcceptedView after(merged_.raw);
    if (may_have_comments(view_.text()) || may_have_comments(after.text())) HF_CHECK(check_comments(after));
    if (!is_intended(after.text(), hunks) || !same_view(after.atoms(), merged_.raw, view_.atoms(), view_.raw(), Side::base))
      return fail(ErrorKind::refused, "the edit would not read back as intended; nothing was written",
                  "edit a smaller part, away from other marks", "would_corrupt");
    HF_CHECK(check_accepting(after));
    if (!merged_.id.empty()) merged_.lines = lines_of_change(after, merged_.id);
    merged_.accepted = std::move(after).take_text();
    return {};
  }

  static bool may_have_comments(std::string_view text) { return text.contains(opener_of(Block::comment)); }

  // What is plain text now must not become a mark when the marks around it go.
  Result<void> check_accepting(const AcceptedView& after) const {
    const auto changes = [](const AcceptedView& view) -> std::ptrdiff_t {
      const bool maybe = std::ranges::any_of(
          kDelimiters, [&](const Delimiters& each) { return is_change(each.block) && view.text().contains(each.opener); });
      if (!maybe) return 0;
      const std::string accepted = view.rich(0, view.text().size());
      return std::ranges::count(parse_markup(accepted), Atom::Kind::change, &Atom::kind);
    };
    if (const auto now = changes(after); now > 0 && now > changes(view_))
      return fail(ErrorKind::refused, "with what stands around it, the new text would be CriticMarkup once it is accepted",
                  "write it without signs that open or close a mark", "markup_in_input");
    return {};
  }

  template <class Marked>
  bool is_own(const Marked& marked) const {
    return author_.by.empty() ? marked.author == author_.label : marked.by == author_.by;
  }

  // Comments of others survive, byte for byte and in number: in what the edit asks for, and in what it leads to.
  Result<void> check_comments(const std::vector<Hunk>& hunks) const {
    std::string before, after;
    for (const Hunk& hunk : hunks) {
      before += view_.rich(hunk.begin, hunk.end);
      after += hunk.text;
    }
    std::vector<Comment> touched = find_comments(before);
    if (touched.empty()) return {};
    // A piece alone does not say whether it stands in code, where it would be no comment.
    const std::string whole = view_.rich(0, view_.text().size());
    std::set<std::string_view> comments;
    for (const Comment& comment : find_comments(whole)) comments.insert(comment.raw);
    std::erase_if(touched, [&](const Comment& comment) { return !comments.contains(comment.raw); });
    return check_kept(touched, find_comments(after));
  }
  Result<void> check_comments(const AcceptedView& view) const {
    const std::string before = view_.rich(0, view_.text().size()), after = view.rich(0, view.text().size());
    const std::vector<Comment> old = find_comments(before), now = find_comments(after);
    HF_CHECK(check_kept(old, now));
    // And nobody else's appear, unless a pending change had taken it away: text that turns into one would count as a person's.
    for (const Comment& comment : now)
      if (!is_own(comment) && !view_.raw().contains(comment.raw))
        return fail(ErrorKind::refused, "with what stands around it, the new text would become a comment",
                    "write a comment as a whole: {>>so<<}", "markup_in_input");
    return {};
  }
  Result<void> check_kept(const std::vector<Comment>& before, const std::vector<Comment>& after) const {
    std::map<std::string_view, int> left;
    for (const Comment& comment : after) ++left[comment.raw];
    for (const Comment& comment : before) {
      if (is_own(comment)) continue;
      if (--left[comment.raw] >= 0) continue;
      return fail(ErrorKind::refused,
                  fmt::format("the edit touches a comment of {}: \"{}\"", comment.author.empty() ? "a person" : comment.author,
                              shorten(comment.note, kQuoted)),
                  "leave the comment as it is, and edit around it", "comment_protected");
    }
    return {};
  }

  const AcceptedView& view_;
  const Author& author_;
  Merged merged_;
  std::string id_;        // of the change that this edit makes
  std::size_t next_ = 0;  // atom to go on with
  std::size_t at_ = 0;    // position in the accepted view up to which the new document is written
};

}  // namespace

std::vector<std::size_t> lines_of_change(const AcceptedView& view, std::string_view id) {
  std::vector<std::size_t> lines;
  std::size_t line = 1, counted = 0;
  for (const Placed& place : view.placed()) {
    if (place.atom->kind != Atom::Kind::change || place.atom->id != id) continue;
    const std::string_view between = std::string_view(view.text()).substr(counted, place.begin - counted);
    line += static_cast<std::size_t>(std::ranges::count(between, '\n'));
    counted = place.begin;
    if (lines.empty() || lines.back() != line) lines.push_back(line);
  }
  return lines;
}

Result<Merged> merge_edits(const AcceptedView& view, const std::vector<Replacement>& replacements, const Author& author,
                           Likeness likeness) {
  return Merge(view, author).run(replacements, likeness);
}

Result<std::string> wrap_new_document(std::string_view content, const Author& author, std::string& id) {
  if (content.empty()) return std::string();
  std::string text;
  const NewExamples examples({}, {{0, 0, std::string(content)}});
  for (const Token& token : tokens_of(content))
    text += written(token, "\n", examples.has_one_at(0, token.begin) ? nullptr : &author);
  if (const auto delimiter = find_delimiter(text))
    return fail(ErrorKind::refused, fmt::format("content contains {}", *delimiter),
                "write the text without CriticMarkup; the marks are added for you", "markup_in_input");
  id = author.make_id();
  return fmt::format("{{++{}{}++}}", write_metadata(id, author.label, author.now, author.by), text);
}

}  // namespace holdfast::documents
