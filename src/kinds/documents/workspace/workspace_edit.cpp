// Editing (document-review §5 `edit`, §8).

#include "base/crypto/hash.h"
#include "base/json/json.h"
#include "base/text/text.h"
#include "kinds/documents/text/edit_text.h"
#include "kinds/documents/text/numbered_lines.h"
#include "kinds/documents/workspace/workspace_state.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace holdfast::documents {

namespace {

constexpr std::size_t kExcerptAround = 3;
constexpr std::size_t kMaxExcerpts = 20;

Result<void> check_edit(const EditRequest& request) {
  if (request.edits.empty())
    return fail(ErrorKind::invalid, "there is no edit", "give old_string and new_string, or edits", "bad_argument");
  for (const EditRequest::One& one : request.edits)
    if (!is_valid_utf8(one.new_string) || one.new_string.contains('\0'))
      return fail(ErrorKind::invalid, "new_string is not text", "documents are UTF-8 without NUL", "not_text");
  return {};
}

std::vector<TextEdit> text_edits(const EditRequest& request) {
  std::vector<TextEdit> edits;
  for (const EditRequest::One& one : request.edits) edits.push_back({one.old_string, one.new_string, one.replace_all});
  return edits;
}

std::string_view without_mark(std::string_view text) {
  return text.substr(text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0);
}

// A few lines around each change, windows that meet joined.
std::string excerpts(std::string_view text, const std::vector<std::size_t>& changed) {
  std::vector<LineRange> ranges;
  for (const std::size_t line : changed) {
    const LineRange range{line > kExcerptAround ? line - kExcerptAround : 1, line + kExcerptAround};
    if (!ranges.empty() && range.first <= ranges.back().last + 1)
      ranges.back().last = std::max(ranges.back().last, range.last);
    else if (ranges.size() < kMaxExcerpts)
      ranges.push_back(range);
  }
  std::string out;
  for (const std::string& part : numbered_parts(text, ranges)) out += (out.empty() ? "\n\n" : "\n--\n") + part;
  return out;
}

std::string_view described(Likeness likeness) {
  switch (likeness) {
    case Likeness::exact:
      return "";
    case Likeness::line_breaks:
      return "line breaks";
    case Likeness::quotes:
      return "quotes";
    case Likeness::spaces:
      return "blanks";
  }
  return "";
}

// Which call this is: the same text from the same place to the same text.
std::string mark_of_call(const EditRequest& request, const Place& place) {
  JsonArray edits;
  for (const EditRequest::One& one : request.edits) edits.push_back(JsonArray{one.old_string, one.new_string, one.replace_all});
  return to_hex(sha256(place.key + "\n" + to_json(Json(std::move(edits)))));
}

struct Outcome {
  EditedText edited;
  std::string proposal;  // id, for kinds without marks
  bool changed_since_read = false;
  bool has_other_names = false;  // hard links
  std::string made_before;       // the pending change that this very call made before, and nobody was answered
};

std::string report(const Place& place, const Outcome& outcome) {
  const EditedText& edited = outcome.edited;
  if (!outcome.made_before.empty())
    return fmt::format("Edited {}: this very edit was made before and is pending as {}; nothing was changed now.", place.path,
                       outcome.made_before);
  if (edited.unchanged) return fmt::format("{}: no change; the document says so already.", place.path);
  std::string text;
  if (!outcome.proposal.empty()) {
    text = fmt::format("Edited {}: 1 change(s) pending: {} (the whole file, as a proposal: its kind carries no marks).",
                       place.path, outcome.proposal);
  } else if (!place.reviewed) {
    text = fmt::format("Edited {}: written directly.", place.path);
  } else if (edited.ids.empty()) {
    text = fmt::format("Edited {}: 0 change(s) pending.", place.path);
  } else {
    std::vector<std::string> lines;
    for (const std::size_t line : edited.lines) lines.push_back(fmt::format("L{}", line));
    text = fmt::format("Edited {}: {} change(s) pending: {} ({}).", place.path, edited.ids.size(), fmt::join(edited.ids, ", "),
                       fmt::join(lines, ", "));
  }
  if (outcome.changed_since_read)
    text += "\nNote: the file changed on disk since your read; your edit was put into the new text.";
  if (outcome.has_other_names)
    text += "\nNote: the file has other names (hard links); they keep the old text, since a document is replaced as a whole.";
  std::set<std::string_view> named;  // each once, however many of its marks it lost
  for (const Superseded& old : edited.superseded)
    if (named.insert(old.id).second)
      text += fmt::format("\nNote: superseded change {} by {}.", old.id, old.author.empty() ? "a person" : old.author);
  if (edited.withdrawn > 0) text += fmt::format("\nNote: {} pending change(s) fell back to the original text.", edited.withdrawn);
  if (edited.likeness != Likeness::exact) text += fmt::format("\nNote: matched with {} normalised.", described(edited.likeness));
  return text;
}

// What a reviewer would need to bring a superseded change back stands in the log.
Result<void> log_edit(WorkspaceState& workspace, const Opened& opened, const Place& place, const Outcome& outcome,
                      std::string_view version) {
  JsonArray ids, superseded;
  for (const std::string& id : outcome.edited.ids) ids.emplace_back(id);
  if (!outcome.proposal.empty()) ids.emplace_back(outcome.proposal);
  for (const Superseded& old : outcome.edited.superseded)
    superseded.emplace_back(JsonObject{{"id", old.id}, {"author", old.author}, {"del", old.del}, {"ins", old.ins}});
  return workspace.handles.note_version(
      opened, "proposed", fmt::format("edit of {}", place.path),
      {{"path", place.path}, {"changes", std::move(ids)}, {"superseded", std::move(superseded)}}, place.key, version);
}

// The document's one pending proposal, edited once more or begun; another's that it takes the place of.
struct NextProposal {
  Proposal proposal;
  std::optional<Proposal> replaced;
};
Result<NextProposal> next_proposal(WorkspaceState& workspace, const Opened& opened, const Place& place, const FileState& file) {
  HF_TRY(const auto known, workspace.proposals.of(place.key));
  NextProposal next;
  for (const Proposal& each : known) {
    if (each.kind != Proposal::Kind::edit) continue;
    if (each.label == opened.label && each.base_version == file.version) return NextProposal{each, std::nullopt};
    next.replaced = each;
  }
  next.proposal.id = make_proposal_id();
  next.proposal.key = place.key;
  next.proposal.base_version = file.version;
  next.proposal.author = opened.author;
  next.proposal.label = opened.label;
  return next;
}

class Edit {
 public:
  Edit(WorkspaceState& workspace, const Asker& asker, const EditRequest& request, const Opened& opened, const Place& place,
       std::string known_version)
      : workspace_(workspace),
        asker_(asker),
        request_(request),
        opened_(opened),
        place_(place),
        known_version_(std::move(known_version)) {}

  // conflict: somebody saved meanwhile; the next try sees what they saved.
  Result<Outcome> try_once() {
    HF_TRY(Sight sight, look_at(workspace_, place_, kMaxDocumentBytes));
    Outcome outcome;
    outcome.changed_since_read = sight.file.version != known_version_;
    outcome.has_other_names = sight.file.names > 1 && (place_.reviewed || workspace_.library->settings().direct_edits);
    if (!request_.expected_version.empty() && !sight.file.version.starts_with(request_.expected_version))
      return fail(ErrorKind::refused, fmt::format("{} is not at the expected version any more", place_.path), "read it again",
                  "stale");
    const EditRules rules{outcome.changed_since_read, workspace_.library->settings().supersede_any};
    if (place_.reviewed) {
      // Somebody has written since this session's last answer, and it may have been this session.
      if (outcome.changed_since_read) {
        HF_TRY(outcome.made_before, made_before(sight.raw()));
        if (!outcome.made_before.empty()) return outcome;
      }
      const Author author{opened_.author, workspace_.clock.now(), make_change_id, opened_.by};
      auto edited = edit_marked_text(sight.raw(), text_edits(request_), author, rules);
      if (!edited && edited.error().kind == ErrorKind::not_found) {
        HF_TRY(outcome.made_before, made_before(sight.raw()));
        if (!outcome.made_before.empty()) return outcome;
      }
      HF_TRY(outcome.edited, std::move(edited));
    } else {
      HF_TRY(outcome.edited, edit_plain_text(sight.raw(), text_edits(request_), rules));
    }
    if (outcome.edited.unchanged) return outcome;
    if (place_.reviewed || workspace_.library->settings().direct_edits) {
      HF_CHECK(write(std::move(sight.file), outcome));
    } else {
      HF_CHECK(propose(sight.file, outcome));
    }
    return outcome;
  }

  std::string new_version() const { return new_version_; }

 private:
  // Empty: by none that is pending.
  Result<std::string> made_before(std::string_view raw) const {
    std::set<std::string, std::less<>> ids;
    for (const Atom& atom : parse_markup(raw))
      if (atom.kind == Atom::Kind::change) ids.emplace(atom.id);
    const std::string mark = mark_of_call(request_, place_);
    for (const std::string& id : ids) {
      HF_TRY(const auto owner, owner_of(workspace_, id));
      if (owner && owner->label == opened_.label && owner->edit == mark) return id;
    }
    return std::string();
  }

  Result<void> write(FileState file, Outcome& outcome) {
    if (outcome.edited.raw.size() > kMaxDocumentBytes)
      return fail(ErrorKind::too_large, fmt::format("{} would have more than {} bytes", place_.path, kMaxDocumentBytes), "",
                  "too_large");
    std::vector<FileStep> steps(1);
    FileStep& step = steps.front();
    step.kind = FileStep::Kind::replace;
    step.place = place_;
    step.expected = std::move(file);
    step.bytes = std::move(outcome.edited.raw);
    // Whose they are is known before they are there: a crash in between leaves no change that nobody can withdraw.
    const auto own = [&] {
      return remember_owner(workspace_, outcome.edited.ids,
                            {opened_.label, asker_.principal, opened_.author, mark_of_call(request_, place_)});
    };
    HF_TRY(const Applied applied,
           apply_steps(*workspace_.library, steps, {"edit", outcome.edited.ids, short_hash(opened_.label)}, own));
    new_version_ = applied.states.front().version;
    workspace_.versions.remember(std::move(step.bytes), new_version_);
    return {};
  }

  Result<void> propose(const FileState& file, Outcome& outcome) {
    HF_TRY(NextProposal next, next_proposal(workspace_, opened_, place_, file));
    Proposal& proposal = next.proposal;
    proposal.bytes = outcome.edited.raw;
    proposal.time = workspace_.clock.now();
    new_version_ = file.version;
    if (next.replaced) {
      const Proposal& old = *next.replaced;
      HF_TRY(const auto owner, owner_of(workspace_, old.id));
      const bool own = owner && owner->principal == asker_.principal && owner->author == opened_.author;
      if (!own && !workspace_.library->settings().supersede_any)
        return fail(ErrorKind::refused, fmt::format("the edit would replace the proposal {} of {}", old.id, old.author),
                    "wait until it is decided", "supersede_denied");
      outcome.edited.superseded.push_back({old.id, old.author, {}, old.bytes, own});
    }
    if (proposal.bytes == file.bytes) {
      outcome.edited.withdrawn = 1;
      if (next.replaced) HF_CHECK(workspace_.proposals.drop(*next.replaced));
      return workspace_.proposals.drop(proposal);
    }
    HF_CHECK(remember_owner(workspace_, {proposal.id}, {opened_.label, asker_.principal, opened_.author}));
    outcome.proposal = proposal.id;
    return workspace_.proposals.keep(proposal);
  }

  WorkspaceState& workspace_;
  const Asker& asker_;
  const EditRequest& request_;
  const Opened& opened_;
  const Place& place_;
  std::string known_version_, new_version_;
};

}  // namespace

Result<std::string> edit(WorkspaceState& workspace, const Asker& asker, const EditRequest& request) {
  HF_CHECK(check_edit(request));
  HF_TRY(const Opened opened, workspace.handles.open(asker.who(), asker.session_id));
  HF_TRY(const Place place, find_document(workspace, request.file_path));
  HF_CHECK(workspace.library->require_writable(place));
  std::optional<ReadRecord> read;
  HF_CHECK(require_read(workspace, opened, place, read));
  HF_TRY(const DocumentLock lock, DocumentLock::take(*workspace.library, place.key));
  // Once more, behind the lock: calls of one session may run beside each other.
  HF_TRY(read, workspace.handles.last_read(opened, place.key));
  if (!read) read.emplace();
  Edit work(workspace, asker, request, opened, place, read->version);
  auto outcome = work.try_once();
  for (int tries = 1;
       !outcome && outcome.error().kind == ErrorKind::conflict && outcome.error().code.empty() && tries < kWriteTries; ++tries)
    outcome = work.try_once();
  if (!outcome) return fail(outcome.error());
  if (outcome->edited.unchanged || !outcome->made_before.empty()) return report(place, *outcome);
  std::string text = report(place, *outcome);
  text += not_noted(log_edit(workspace, opened, place, *outcome, work.new_version()));
  if (place.reviewed) text += excerpts(without_mark(outcome->edited.accepted), outcome->edited.lines);
  return text;
}

}  // namespace holdfast::documents
