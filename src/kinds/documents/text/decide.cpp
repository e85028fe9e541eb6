#include "kinds/documents/text/decide.h"

#include <algorithm>
#include <set>

namespace holdfast::documents {

namespace {

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

std::size_t thread_end(const std::vector<Remark>& remarks, std::size_t at) {
  auto next = std::ranges::lower_bound(remarks, at, {}, &Remark::begin);
  for (; next != remarks.end() && next->begin == at && next->kind == Remark::Kind::comment; ++next) at = next->end;
  return at;
}

std::vector<Belonging> belongings(const std::vector<Atom>& atoms, const std::vector<Remark>& remarks) {
  std::vector<Belonging> all(remarks.size());
  std::map<std::string_view, std::string_view> pending;
  for (const Atom& atom : atoms) {
    if (atom.kind != Atom::Kind::change) continue;
    pending.emplace(atom.id, atom.id);
    const std::size_t end = thread_end(remarks, atom.end);
    auto behind = std::ranges::lower_bound(remarks, atom.end, {}, &Remark::begin);
    for (; behind != remarks.end() && behind->begin < end; ++behind)
      all[static_cast<std::size_t>(behind - remarks.begin())].change = atom.id;
  }
  for (std::size_t i = 0; i < remarks.size(); ++i) {
    if (remarks[i].on.empty()) continue;
    if (const auto about = pending.find(remarks[i].on); about != pending.end()) all[i].change = about->second;
    all[i].goes_along = !all[i].change.empty();
  }
  return all;
}

Decided decide(std::string_view raw, const std::map<std::string, Verdict, std::less<>>& verdicts, Notes notes) {
  const std::vector<Atom> atoms = parse_markup(raw);
  const std::vector<Remark> remarks = find_remarks(raw);
  const std::vector<Belonging> belonging = belongings(atoms, remarks);
  Decided decided;
  std::set<std::string_view> found, left;
  std::vector<Remark> dropped;
  for (std::size_t i = 0; i < remarks.size(); ++i) {
    const bool named = verdicts.contains(remarks[i].id);
    const bool goes_along = notes == Notes::go && belonging[i].goes_along && verdicts.contains(belonging[i].change);
    if (named) found.insert(remarks[i].id);
    if (named || goes_along) dropped.push_back(remarks[i]);
  }
  for (const Atom& atom : atoms) {
    std::string_view text = raw.substr(atom.begin, atom.end - atom.begin);
    if (atom.kind == Atom::Kind::change) {
      const auto verdict = verdicts.find(atom.id);
      if (verdict == verdicts.end()) {
        left.insert(atom.id);
      } else {
        text = verdict->second == Verdict::accept ? atom.ins : atom.del;
        if (found.insert(atom.id).second) decided.applied.push_back(atom.id);
      }
    }
    decided.raw += resolved(text, static_cast<std::size_t>(text.data() - raw.data()), dropped);
  }
  decided.remaining = left.size();
  for (const Remark& remark : dropped)
    if (verdicts.contains(remark.id)) decided.applied.push_back(remark.id);
  for (const auto& [id, verdict] : verdicts)
    if (!found.contains(id)) decided.missing.push_back(id);
  return decided;
}

}  // namespace holdfast::documents
