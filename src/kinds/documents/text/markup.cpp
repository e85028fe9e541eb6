#include "kinds/documents/text/markup.h"

#include "base/crypto/hash.h"
#include "kinds/documents/text/code_tracker.h"
#include "kinds/documents/text/delimiters.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace holdfast::documents {

namespace {

// Blocks begin with the first; code with the others, the last one only at the begin of a line.
constexpr std::string_view kFirstCharacters = "{`~";

// Answers "where is the next one?" for positions that only grow, looking at every byte once.
class NextOf {
 public:
  template <class Find>
  std::size_t at_or_after(std::size_t position, Find&& find) {
    if (!known_ || (found_ != std::string_view::npos && found_ < position)) {
      found_ = find(position);
      known_ = true;
    }
    return found_;
  }

 private:
  bool known_ = false;
  std::size_t found_ = 0;
};

// One block of the raw text.
struct Found {
  Block block = Block::insertion;
  std::size_t begin = 0, end = 0;
  std::string_view payload;
  std::optional<Metadata> metadata;
};

// Of a document, or of a text in which only comments and highlights are looked for.
enum class LookingFor { everything, remarks };

struct Parsed {
  std::vector<Atom> atoms;
  std::vector<Found> remarks;          // outside of changes
  std::set<std::size_t> text_in_code;  // openers that open nothing; kept when remarks are looked for
};

class Parser {
 public:
  // all_code: the text is a piece of a code block.
  explicit Parser(std::string_view raw, LookingFor wanted = LookingFor::everything, bool all_code = false)
      : raw_(raw), wanted_(wanted), all_code_(all_code), code_(raw) {}

  Parsed run() {
    while ((position_ = next_character(position_)) != std::string_view::npos) {
      if (raw_[position_] == '{') {
        const auto block = block_here();
        if (block) take(*block);
        position_ = block ? block->end : position_ + 1;
        if (block) plain_from_ = position_;
        continue;
      }
      if (const auto line = line_that_begins_here()) {
        const std::size_t behind = code_.begin_line(*line);
        if (behind != *line) {
          position_ = behind;
          continue;
        }
      }
      position_ = raw_[position_] == '`' ? code_.pass_backticks(position_) : position_ + 1;
    }
    close_plain(raw_.size());
    name_the_nameless();
    flag_front_matter();
    return {std::move(atoms_), std::move(remarks_), std::move(text_in_code_)};
  }

 private:
  // Only these can begin a block or code; everything else is passed as fast as memory is read.
  std::size_t next_character(std::size_t from) {
    std::size_t next = std::string_view::npos;
    for (std::size_t i = 0; i < kFirstCharacters.size(); ++i)
      next = std::min(next, characters_[i].at_or_after(from, [&](std::size_t at) { return raw_.find(kFirstCharacters[i], at); }));
    return next;
  }

  // Where the line begins whose first character, behind blanks, stands here. One that begins inside of a block is none.
  std::optional<std::size_t> line_that_begins_here() const {
    std::size_t begin = position_;
    const std::size_t least = position_ - std::min(position_ - plain_from_, CodeTracker::kMostBeforeFence);
    while (begin > least && CodeTracker::kBeforeFence.contains(raw_[begin - 1])) --begin;
    const bool begins = begin == 0 || (begin > plain_from_ && raw_[begin - 1] == '\n');
    return begins ? std::optional(begin) : std::nullopt;
  }

  std::size_t line_end(std::size_t from) const { return std::min(raw_.find('\n', from), raw_.size()); }

  std::size_t next_closer(Block block, std::size_t from) {
    return closers_[static_cast<std::size_t>(block)].at_or_after(from,
                                                                 [&](std::size_t at) { return raw_.find(closer_of(block), at); });
  }

  // The same metadata is asked for twice: when the block before it looks ahead, and by its own.
  const std::optional<Metadata>& metadata_at(std::size_t inside) {
    if (inside != metadata_at_) metadata_ = read_metadata(raw_.substr(inside));
    metadata_at_ = inside;
    return metadata_;
  }

  std::size_t find_labelled(std::size_t from, bool changes_only) {
    for (std::size_t at = raw_.find('{', from); at != std::string_view::npos; at = raw_.find('{', at + 1)) {
      const auto block = opener_at(raw_, at);
      if (!block || (changes_only && !is_change(*block))) continue;
      if (metadata_at(at + kDelimiterBytes)) return at;
    }
    return std::string_view::npos;
  }

  // Openers that carry metadata were written by a program and mean what they say; an opener in front of one, without a closer
  // before it, is a stray (rule 3).
  std::size_t next_labelled(std::size_t from) {
    return labelled_.at_or_after(from, [&](std::size_t at) { return find_labelled(at, false); });
  }
  std::size_t next_labelled_change(std::size_t from) {
    return labelled_change_.at_or_after(from, [&](std::size_t at) { return find_labelled(at, true); });
  }

  std::optional<Found> block_here() {
    const auto block = opener_at(raw_, position_);
    if (!block || (wanted_ == LookingFor::remarks && is_change(*block))) return std::nullopt;
    Found found;
    found.block = *block;
    found.begin = position_;
    std::size_t inside = position_ + kDelimiterBytes;
    found.metadata = metadata_at(inside);
    if (!found.metadata && in_code(position_)) {
      if (wanted_ == LookingFor::remarks) text_in_code_.insert(position_);
      return std::nullopt;
    }
    if (found.metadata) inside += found.metadata->bytes;
    const std::size_t closer = next_closer(*block, inside);
    if (closer == std::string_view::npos) return std::nullopt;
    const std::size_t stray_if = found.metadata ? next_labelled_change(inside) : next_labelled(inside);
    if (stray_if < closer) return std::nullopt;
    found.payload = raw_.substr(inside, closer - inside);
    found.end = closer + kDelimiterBytes;
    if (*block == Block::substitution && found.payload.find("~>") == std::string_view::npos) return std::nullopt;
    return found;
  }

  bool in_code(std::size_t position) const { return all_code_ || code_.in_code(position); }

  // A block is passed as a whole: what stands in it opens no code.
  void take(const Found& found) {
    if (!is_change(found.block)) {  // content: part of the plain text around it
      remarks_.push_back(found);
      return;
    }
    close_plain(found.begin);
    plain_begin_ = found.end;
    if (join(found)) return;
    Atom atom;
    atom.kind = Atom::Kind::change;
    atom.begin = found.begin;
    atom.end = found.end;
    atom.in_code = in_code(found.begin);
    if (found.block == Block::insertion) {
      atom.ins = found.payload;
    } else if (found.block == Block::deletion) {
      atom.del = found.payload;
    } else {
      const std::size_t split = found.payload.find("~>");
      atom.del = found.payload.substr(0, split);
      atom.ins = found.payload.substr(split + 2);
    }
    if (found.metadata) {
      atom.id = found.metadata->id;
      atom.has_id = !atom.id.empty();
      atom.author = found.metadata->author;
      atom.by = found.metadata->by;
      atom.timestamp = found.metadata->timestamp;
    }
    last_is_deletion_ = found.block == Block::deletion;
    atoms_.push_back(std::move(atom));
  }

  // {--a--}{++b++}: one change when directly adjacent and of one id (rule 5).
  bool join(const Found& found) {
    if (found.block != Block::insertion || !last_is_deletion_ || atoms_.empty()) return false;
    Atom& before = atoms_.back();
    const std::string id = found.metadata ? found.metadata->id : std::string();
    if (before.kind != Atom::Kind::change || before.end != found.begin || before.id != id) return false;
    before.ins = found.payload;
    before.end = found.end;
    last_is_deletion_ = false;
    if (before.author.empty() && found.metadata) before.author = found.metadata->author;
    return true;
  }

  void close_plain(std::size_t end) {
    if (end <= plain_begin_) return;
    Atom atom;
    atom.begin = plain_begin_;
    atom.end = end;
    atoms_.push_back(std::move(atom));
    plain_begin_ = end;
  }

  // Rule 6: what has no id gets one from its bytes and from how often they have occurred.
  void name_the_nameless() {
    std::map<std::string_view, int> seen;
    for (Atom& atom : atoms_) {
      if (atom.kind != Atom::Kind::change || atom.has_id) continue;
      const std::string_view block = raw_.substr(atom.begin, atom.end - atom.begin);
      const Digest digest = sha256(fmt::format("{}\n{}", ++seen[block], block));
      constexpr std::size_t kIdHex = 8;
      atom.id = "c_" + to_hex(digest).substr(0, kIdHex);
    }
  }

  // Rule 7.
  void flag_front_matter() {
    if (!raw_.starts_with("---\n") && !raw_.starts_with("---\r\n")) return;
    std::size_t end = std::string_view::npos;
    for (std::size_t at = raw_.find("\n---"); at != std::string_view::npos; at = raw_.find("\n---", at + 1)) {
      if (raw_.substr(at + 4, line_end(at + 4) - at - 4).find_first_not_of(" \t\r") != std::string_view::npos) continue;
      end = at;
      break;
    }
    if (end == std::string_view::npos) return;
    for (Atom& atom : atoms_)
      if (atom.kind == Atom::Kind::change && atom.begin < end) atom.in_front_matter = true;
  }

  std::string_view raw_;
  LookingFor wanted_;
  bool all_code_;
  std::size_t position_ = 0, plain_begin_ = 0;
  std::size_t plain_from_ = 0;  // end of the last block: lines begin behind it
  std::array<NextOf, kFirstCharacters.size()> characters_;
  CodeTracker code_;
  std::array<NextOf, kDelimiters.size()> closers_;
  NextOf labelled_, labelled_change_;
  std::size_t metadata_at_ = std::string_view::npos;
  std::optional<Metadata> metadata_;
  bool last_is_deletion_ = false;
  std::vector<Atom> atoms_;
  std::vector<Found> remarks_;
  std::set<std::size_t> text_in_code_;
};

Remark remark_of(const Found& found, std::size_t offset) {
  Remark remark;
  remark.kind = found.block == Block::comment ? Remark::Kind::comment : Remark::Kind::highlight;
  remark.text = found.payload;
  remark.begin = offset + found.begin;
  remark.end = offset + found.end;
  if (found.metadata) {
    remark.id = found.metadata->id;
    remark.author = found.metadata->author;
    remark.timestamp = found.metadata->timestamp;
    remark.on = found.metadata->on;
  }
  return remark;
}

// Rule 6 for remarks. Two may carry one id when a text was copied; then the second one's is derived, too.
void name_remarks(std::vector<Remark>& remarks, const std::vector<Atom>& atoms, std::string_view raw) {
  std::set<std::string, std::less<>> taken;
  for (const Atom& atom : atoms)
    if (atom.kind == Atom::Kind::change) taken.insert(atom.id);
  std::map<std::string_view, int> seen;
  for (Remark& remark : remarks) {
    const std::string_view block = raw.substr(remark.begin, remark.end - remark.begin);
    constexpr std::size_t kIdHex = 8;
    while (remark.id.empty() || taken.contains(remark.id))
      remark.id = "n_" + to_hex(sha256(fmt::format("{}\n{}", ++seen[block], block))).substr(0, kIdHex);
    taken.insert(remark.id);
  }
}

}  // namespace

std::vector<Atom> parse_markup(std::string_view raw) {
  return Parser(raw).run().atoms;
}

std::vector<Remark> find_remarks(std::string_view raw) {
  if (!raw.contains(opener_of(Block::comment)) && !raw.contains(opener_of(Block::highlight))) return {};
  const Parsed parsed = Parser(raw).run();
  std::vector<Remark> remarks;
  for (const Found& found : parsed.remarks) remarks.push_back(remark_of(found, 0));
  for (const Atom& atom : parsed.atoms) {
    if (atom.ins.empty()) continue;
    const auto offset = static_cast<std::size_t>(atom.ins.data() - raw.data());
    for (const Found& found : Parser(atom.ins, LookingFor::remarks, atom.in_code).run().remarks)
      remarks.push_back(remark_of(found, offset));
  }
  std::ranges::sort(remarks, {}, &Remark::begin);
  name_remarks(remarks, parsed.atoms, raw);
  return remarks;
}

std::vector<Comment> find_comments(std::string_view text) {
  std::vector<Comment> comments;
  if (!text.contains(opener_of(Block::comment))) return comments;
  for (const Found& found : Parser(text, LookingFor::remarks).run().remarks) {
    if (found.block != Block::comment) continue;
    Comment comment;
    comment.begin = found.begin;
    comment.end = found.end;
    comment.raw = text.substr(found.begin, found.end - found.begin);
    comment.note = found.payload;
    if (found.metadata) {
      comment.author = found.metadata->author;
      comment.by = found.metadata->by;
      comment.timestamp = found.metadata->timestamp;
      comment.id = found.metadata->id;
    }
    comments.push_back(std::move(comment));
  }
  return comments;
}

std::set<std::size_t> find_openers_in_code(std::string_view text) {
  return Parser(text, LookingFor::remarks).run().text_in_code;
}

namespace {

// Calls with every piece of metadata of a comment or a highlight.
template <class Each>
void for_each_hidden(std::string_view raw, Each&& each) {
  for (std::size_t at = raw.find('{'); at != std::string_view::npos; at = raw.find('{', at + 1)) {
    const auto block = opener_at(raw, at);
    if (!block || is_change(*block)) continue;
    const std::size_t inside = at + kDelimiterBytes;
    const auto metadata = read_metadata(raw.substr(inside));
    if (!metadata) continue;
    each(inside, metadata->bytes);
    at = inside + metadata->bytes - 1;
  }
}

}  // namespace

Visible visible_text(std::string_view raw) {
  Visible visible;
  std::size_t copied = 0;
  for_each_hidden(raw, [&](std::size_t at, std::size_t bytes) {
    visible.text.append(raw, copied, at - copied);
    visible.hidden.push_back({visible.text.size(), raw.substr(at, bytes)});
    copied = at + bytes;
  });
  visible.text.append(raw.substr(copied));
  return visible;
}

void add_visible_pieces(std::vector<std::string_view>& pieces, std::string_view raw) {
  std::size_t taken = 0;
  const auto add = [&](std::size_t end) {
    if (end > taken) pieces.push_back(raw.substr(taken, end - taken));
  };
  for_each_hidden(raw, [&](std::size_t at, std::size_t bytes) {
    add(at);
    taken = at + bytes;
  });
  add(raw.size());
}

std::optional<std::string_view> find_delimiter(std::string_view text) {
  for (const Delimiters& each : kDelimiters) {
    if (each.block == Block::comment) continue;
    for (const std::string_view delimiter : {each.opener, each.closer})
      if (text.find(delimiter) != std::string_view::npos) return delimiter;
  }
  return std::nullopt;
}

}  // namespace holdfast::documents
