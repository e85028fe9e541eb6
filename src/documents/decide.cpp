#include "documents/decide.h"

#include "base/hash.h"
#include "documents/delimiters.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace holdfast::documents {

namespace {

// Comments and highlights of plain text that begins at `offset` of the document.
void add_remarks(std::vector<Remark>& remarks, std::string_view text, std::size_t offset, std::map<std::string, int>& seen) {
  for (std::size_t at = text.find('{'); at != std::string_view::npos;) {
    const auto block = opener_at(text, at);
    std::size_t next = at + 1;
    if (block == Block::comment || block == Block::highlight) {
      std::size_t inside = at + kDelimiterBytes;
      const auto metadata = read_metadata(text.substr(inside));
      if (metadata) inside += metadata->bytes;
      const std::size_t closer = text.find(closer_of(*block), inside);
      if (closer != std::string_view::npos) {
        next = closer + kDelimiterBytes;
        Remark remark;
        remark.kind = block == Block::comment ? Remark::Kind::comment : Remark::Kind::highlight;
        remark.text = text.substr(inside, closer - inside);
        remark.begin = offset + at;
        remark.end = offset + next;
        if (metadata) {
          remark.id = metadata->id;
          remark.author = metadata->author;
          remark.timestamp = metadata->timestamp;
        }
        if (remark.id.empty()) {
          const std::string raw(text.substr(at, next - at));
          constexpr std::size_t kIdHex = 8;
          remark.id = "n_" + to_hex(sha256(fmt::format("{}\n{}", ++seen[raw], raw))).substr(0, kIdHex);
        }
        remarks.push_back(std::move(remark));
      }
    }
    at = text.find('{', next);
  }
}

std::vector<Remark> remarks_of(const std::vector<Atom>& atoms, std::string_view raw) {
  std::vector<Remark> remarks;
  std::map<std::string, int> seen;
  for (const Atom& atom : atoms) {
    if (atom.kind == Atom::Kind::plain)
      add_remarks(remarks, raw.substr(atom.begin, atom.end - atom.begin), atom.begin, seen);
    else
      add_remarks(remarks, atom.ins, static_cast<std::size_t>(atom.ins.data() - raw.data()), seen);
  }
  return remarks;
}

std::string resolved(std::string_view text, std::size_t offset, const std::vector<Remark>& dropped) {
  std::string out;
  std::size_t copied = 0;
  for (const Remark& remark : dropped) {
    if (remark.begin < offset || remark.end > offset + text.size()) continue;
    out.append(text, copied, remark.begin - offset - copied);
    if (remark.kind == Remark::Kind::highlight) out += remark.text;
    copied = remark.end - offset;
  }
  return out.append(text.substr(copied));
}

}  // namespace

std::vector<Remark> find_remarks(std::string_view raw) {
  return remarks_of(parse_markup(raw), raw);
}

Decided decide(std::string_view raw, const std::map<std::string, Verdict, std::less<>>& verdicts) {
  const std::vector<Atom> atoms = parse_markup(raw);
  std::vector<Remark> dropped = remarks_of(atoms, raw);
  std::erase_if(dropped, [&](const Remark& remark) { return !verdicts.contains(remark.id); });
  Decided decided;
  std::set<std::string> found;
  for (const Remark& remark : dropped) found.insert(remark.id);
  for (const Atom& atom : atoms) {
    std::string_view text = raw.substr(atom.begin, atom.end - atom.begin);
    if (atom.kind == Atom::Kind::change) {
      const auto verdict = verdicts.find(atom.id);
      if (verdict == verdicts.end()) {
        ++decided.remaining;
      } else {
        text = verdict->second == Verdict::accept ? atom.ins : atom.del;
        found.insert(atom.id);
        decided.applied.push_back(atom.id);
      }
    }
    decided.raw += resolved(text, static_cast<std::size_t>(text.data() - raw.data()), dropped);
  }
  for (const Remark& remark : dropped)
    if (std::ranges::find(decided.applied, remark.id) == decided.applied.end()) decided.applied.push_back(remark.id);
  for (const auto& [id, verdict] : verdicts)
    if (!found.contains(id)) decided.missing.push_back(id);
  return decided;
}

std::string decide_all(std::string_view raw, Verdict verdict) {
  std::string out;
  for (const Atom& atom : parse_markup(raw)) {
    if (atom.kind == Atom::Kind::plain)
      out += raw.substr(atom.begin, atom.end - atom.begin);
    else
      out += verdict == Verdict::accept ? atom.ins : atom.del;
  }
  return out;
}

}  // namespace holdfast::documents
