// Accepting, rejecting, withdrawing (document-review §7).

#include "kinds/documents/text/decide.h"
#include "kinds/documents/workspace/git_commit.h"
#include "kinds/documents/workspace/workspace_state.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

namespace holdfast::documents {

namespace {

using VerdictMap = std::map<std::string, Verdict, std::less<>>;

std::string why(const Error& error) {
  return fmt::format("{}: {}", error.word(), error.message);
}

bool has_only_comments(std::string_view raw) {
  std::size_t bytes = 0;
  for (const Comment& comment : find_comments(raw)) bytes += comment.raw.size();
  return bytes == raw.size();
}

FileState stamp_of(const FileState& file) {
  FileState stamp = file;
  stamp.bytes.clear();
  return stamp;
}

// What is decided in one file, by the ids that stand there; and how each of them was named.
struct FileVerdicts {
  VerdictMap verdicts;
  std::map<std::string, std::string, std::less<>> named;
};

std::string_view word_of(Verdict verdict) {
  return verdict == Verdict::accept ? "accepted" : "rejected";
}

std::map<std::string, std::string> words_of(const std::vector<std::string>& ids, const VerdictMap& verdicts) {
  std::map<std::string, std::string> words;
  for (const std::string& id : ids) words.emplace(id, word_of(verdicts.find(id)->second));
  return words;
}

class Decision {
 public:
  Decision(WorkspaceState& workspace, const Asker& asker, bool commit) : workspace_(workspace), asker_(asker), commit_(commit) {}

  // The verdicts of one file.
  void decide_in(const std::string& path, const FileVerdicts& file) {
    auto place = workspace_.library->find(path);
    if (!place) {
      fail_all(file, why(place.error()));
      return;
    }
    auto done = with_lock(*place, file);
    if (!done) fail_all(file, why(done.error()));
  }

  // One file operation.
  void decide_proposal(const Proposal& proposal, Verdict verdict, const std::string& named) {
    auto done = settle(proposal, verdict);
    if (!done) {
      report_.failed.emplace_back(named, why(done.error()));
      return;
    }
    report_.applied.push_back(named);
    tell_owner(proposal.id, verdict, proposal.key);
  }

  // What is not pending may have been decided so by the same call before, to which nobody answered.
  void decide_again(const std::string& id, Verdict verdict, const Error& not_pending) {
    const auto owner = asker_.reviewer ? owner_of(workspace_, id) : std::nullopt;
    if (not_pending.kind != ErrorKind::not_found || !owner || !*owner || (*owner)->verdict.empty()) {
      add_failed(id, why(not_pending));
    } else if ((*owner)->verdict != word_of(verdict)) {
      add_failed(id, fmt::format("not_found: {} was {} before", id, (*owner)->verdict));
    } else {
      report_.applied.push_back(id);
      report_.notes.push_back(fmt::format("{} was {} before: nothing was changed now", id, (*owner)->verdict));
    }
  }

  VerdictReport report() { return std::move(report_); }
  void add_failed(const std::string& id, std::string reason) { report_.failed.emplace_back(id, std::move(reason)); }

 private:
  void fail_all(const FileVerdicts& file, const std::string& reason) {
    for (const auto& [id, named] : file.named) report_.failed.emplace_back(named, reason);
  }

  Result<void> with_lock(const Place& place, const FileVerdicts& file) {
    const VerdictMap& verdicts = file.verdicts;
    HF_CHECK(workspace_.library->require_writable(place));
    HF_TRY(const DocumentLock lock, DocumentLock::take(*workspace_.library, place.key));
    auto decided = write_decided(place, verdicts);
    for (int tries = 1; !decided && decided.error().kind == ErrorKind::conflict && tries < kWriteTries; ++tries)
      decided = write_decided(place, verdicts);
    if (!decided) return fail(decided.error());
    for (const std::string& id : decided->missing)
      report_.failed.emplace_back(file.named.find(id)->second, "not_found: there is no such change any more");
    report_.remaining += decided->remaining;
    for (const std::string& id : decided->applied) {
      report_.applied.push_back(file.named.find(id)->second);
      tell_owner(id, verdicts.find(id)->second, place.path);
    }
    // The document is changed already: what cannot be noted of it makes that no failure.
    if (auto noted = note_accepted(place, decided->applied, verdicts); !noted)
      report_.notes.push_back("who proposed it will not be in the commit: " + noted.error().message);
    if (commit_) commit(place, decided->remaining);
    return {};
  }

  // One write for all of them.
  Result<Decided> write_decided(const Place& place, const VerdictMap& verdicts) {
    HF_TRY(const FileState file, read_document(*workspace_.library, place));
    const bool accepts = std::ranges::any_of(verdicts, [](const auto& each) { return each.second == Verdict::accept; });
    if (accepts) {
      HF_TRY(const bool merging, has_merge_markers(folder_of(place), place.relative, file.bytes));
      if (merging)
        return fail(ErrorKind::refused, fmt::format("{} has unresolved merge markers", place.path), "resolve the merge first",
                    "unmerged");
    }
    // A model that takes its change back does not take what people have said about it.
    Decided decided = decide(file.bytes, verdicts, asker_.reviewer ? Notes::go : Notes::stay);
    if (decided.applied.empty()) return decided;
    HF_TRY(const bool created, was_created(workspace_, place));
    FileStep step;
    step.place = place;
    step.expected = stamp_of(file);
    // A document whose whole text was refused never was, whatever people have noted in it.
    const bool never_was = created && has_only_comments(decided.raw);
    step.kind = never_was ? FileStep::Kind::trash : FileStep::Kind::replace;
    if (!never_was) step.bytes = decided.raw;
    const auto remember = [&] { return remember_verdicts(workspace_, words_of(decided.applied, verdicts)); };
    HF_TRY(const Applied applied, apply_steps(*workspace_.library, {std::move(step)},
                                              {accepts ? "accept" : "reject", decided.applied, asker_.name}, remember));
    changed_[place.key] = {file.version, applied.states.front().version};
    if (never_was) {
      report_.notes.push_back(fmt::format("{} was new; it is in the trash as {}", place.path, applied.trash.front()));
      HF_CHECK(workspace_.handles.forget(place.key));
    } else if (created && accepts) {
      HF_CHECK(unmark_created(workspace_, place));
    }
    return decided;
  }

  Result<void> settle(const Proposal& proposal, Verdict verdict) {
    const auto place = workspace_.library->place_of(proposal.key);
    if (!place) return fail(ErrorKind::not_found, "its document is in no folder of this library");
    const auto remember = [&] { return remember_verdicts(workspace_, {{proposal.id, std::string(word_of(verdict))}}); };
    if (verdict == Verdict::reject) {
      HF_CHECK(remember());
      return workspace_.proposals.drop(proposal);
    }
    HF_CHECK(workspace_.library->require_writable(*place));
    HF_TRY(const DocumentLock lock, DocumentLock::take(*workspace_.library, place->key));
    HF_TRY(const bool done, was_done(proposal, *place));
    if (done) return workspace_.proposals.drop(proposal);
    FileStep step;
    step.place = *place;
    if (proposal.kind == Proposal::Kind::create) {
      HF_TRY(step.place, workspace_.library->find_new(place->path));
      step.kind = FileStep::Kind::create;
    } else {
      HF_TRY(const FileState file, read_document(*workspace_.library, *place, kMaxReadBytes));
      if (file.version != proposal.base_version && !is_own_change(proposal, file))
        return fail(ErrorKind::conflict, fmt::format("{} has changed since this was proposed", place->path),
                    "reject it, and let it be proposed again", "stale");
      HF_TRY(const bool merging, has_merge_markers(folder_of(*place), place->relative, file.bytes));
      if (merging)
        return fail(ErrorKind::refused, "the file has unresolved merge markers", "resolve the merge first", "unmerged");
      step.expected = stamp_of(file);
      step.kind = proposal.kind == Proposal::Kind::remove ? FileStep::Kind::trash : FileStep::Kind::replace;
    }
    if (step.kind != FileStep::Kind::trash) step.bytes = proposal.bytes;
    const bool trashes = step.kind == FileStep::Kind::trash;
    HF_TRY(const Applied applied,
           apply_steps(*workspace_.library, {std::move(step)}, {"accept", {proposal.id}, asker_.name}, remember));
    HF_CHECK(workspace_.proposals.drop(proposal));
    if (trashes) {
      report_.notes.push_back(fmt::format("{} is in the trash as {}", place->path, applied.trash.front()));
      HF_CHECK(workspace_.handles.forget(place->key));
    }
    if (commit_) commit_one(*place, {{proposal.author}, {short_hash(proposal.label)}, 1});
    return {};
  }

  // By a call that ended between the document and the list of what is pending.
  Result<bool> was_done(const Proposal& proposal, const Place& place) const {
    HF_TRY(const auto owner, owner_of(workspace_, proposal.id));
    if (!owner || owner->verdict != word_of(Verdict::accept)) return false;
    const auto there = workspace_.library->find(place.path);
    if (!there) return proposal.kind == Proposal::Kind::remove && there.error().word() == "no_such_document";
    if (proposal.kind == Proposal::Kind::remove) return false;
    HF_TRY(const FileState file, read_document(*workspace_.library, *there, kMaxReadBytes));
    return file.bytes == proposal.bytes;
  }

  std::string folder_of(const Place& place) const { return workspace_.library->settings().folders[place.folder].folder; }

  // What is decided in one call does not make the rest of it stale.
  bool is_own_change(const Proposal& proposal, const FileState& file) const {
    const auto changed = changed_.find(proposal.key);
    return changed != changed_.end() && changed->second.first == proposal.base_version && changed->second.second == file.version;
  }

  // Remembered until the document is committed: the last decision about it may be a rejection, and others may have proposed the
  // rest.
  Result<void> note_accepted(const Place& place, const std::vector<std::string>& applied, const VerdictMap& verdicts) {
    HF_TRY(Accepted accepted, accepted_in(workspace_, place));
    const std::size_t before = accepted.changes;
    const auto add = [](std::vector<std::string>& all, std::string text) {
      if (std::ranges::find(all, text) == all.end()) all.push_back(std::move(text));
    };
    for (const std::string& id : applied) {
      if (verdicts.find(id)->second != Verdict::accept || id.starts_with("n_")) continue;
      ++accepted.changes;
      HF_TRY(const auto owner, owner_of(workspace_, id));
      if (!owner) continue;
      add(accepted.proposers, owner->author);
      add(accepted.sessions, short_hash(owner->label));
    }
    if (accepted.changes == before) return {};
    return keep_accepted(workspace_, place, accepted);
  }

  void commit(const Place& place, std::size_t remaining) {
    const auto accepted = accepted_in(workspace_, place);
    if (!accepted || accepted->changes == 0) return;
    if (remaining > 0) {
      report_.notes.push_back(fmt::format("{} is not committed: {} of its changes are still pending", place.path, remaining));
      return;
    }
    commit_one(place, *accepted);
  }

  // What was accepted stays accepted, whether or not git wants it.
  void commit_one(const Place& place, const Accepted& accepted) {
    auto commit = commit_file(
        {folder_of(place), place.relative, asker_.name, asker_.email, accepted.proposers, accepted.sessions, accepted.changes});
    if (!commit) {
      report_.notes.push_back(fmt::format("{} is accepted, but not committed: {}", place.path, commit.error().message));
      return;
    }
    if (!commit->empty()) report_.commits.push_back(*std::move(commit));
    if (auto kept = keep_accepted(workspace_, place, {}); !kept) report_.notes.push_back(kept.error().message);
  }

  // The log of the session that proposed it says how it ended. A session that was purged needs no news.
  void tell_owner(const std::string& id, Verdict verdict, std::string_view path) {
    const auto owner = owner_of(workspace_, id);
    if (!owner || !*owner) return;
    const std::string_view word = verdict == Verdict::reject && !asker_.reviewer ? "withdrawn" : word_of(verdict);
    auto told = workspace_.handles.note((*owner)->label, "decided", fmt::format("{} {} in {}", id, word, path),
                                        {{"change", id}, {"verdict", word}, {"by", asker_.name}});
    if (!told && told.error().kind != ErrorKind::not_found)
      report_.notes.push_back("not in the session's log: " + told.error().message);
  }

  WorkspaceState& workspace_;
  const Asker& asker_;
  bool commit_;
  VerdictReport report_;
  std::map<std::string, std::pair<std::string, std::string>> changed_;  // by key: versions before and after
};

// `verdicts` by ids as they were given.
Result<VerdictReport> apply_verdicts(WorkspaceState& workspace, const Asker& asker, const std::vector<PendingChange>& pending,
                                     const VerdictMap& verdicts, bool commit) {
  Decision decision(workspace, asker, commit);
  HF_TRY(const auto proposals, workspace.proposals.all());
  std::map<std::string, FileVerdicts> by_file;
  std::map<const PendingChange*, Verdict> taken;
  struct Operation {
    const Proposal* proposal;
    Verdict verdict;
    std::string named;
  };
  std::vector<Operation> operations;
  for (const auto& [id, verdict] : verdicts) {
    const auto change = named_change(pending, id);
    if (!change) {
      decision.decide_again(id, verdict, change.error());
      continue;
    }
    const std::string& mark = (*change)->mark;
    const auto [known, is_new] = taken.emplace(*change, verdict);
    if (!is_new) {
      if (known->second != verdict) decision.add_failed(id, "bad_argument: it is to be accepted and rejected, under two names");
      continue;
    }
    if (const auto proposal = std::ranges::find(proposals, mark, &Proposal::id); proposal != proposals.end()) {
      operations.push_back({&*proposal, verdict, id});
      continue;
    }
    FileVerdicts& file = by_file[(*change)->path];
    file.verdicts.emplace(mark, verdict);
    file.named.emplace(mark, id);
  }
  // What is in a document is decided before the document itself goes.
  for (const auto& [path, file] : by_file) decision.decide_in(path, file);
  std::ranges::stable_sort(operations, {}, [](const Operation& each) { return each.proposal->kind == Proposal::Kind::remove; });
  for (const Operation& each : operations) decision.decide_proposal(*each.proposal, each.verdict, each.named);
  return decision.report();
}

// Of the changes that have this id in one document each, the one in a document that the session has read; a model sees them there
// by their short id.
Result<const PendingChange*> change_of_session(WorkspaceState& workspace, const Opened& opened,
                                               const std::vector<PendingChange>& pending, std::string_view id) {
  if (const auto named = named_change(pending, id)) return *named;
  std::vector<const PendingChange*> read;
  for (const PendingChange& change : pending) {
    if (!is_named(change, id)) continue;
    const auto place = workspace.library->find(change.path);
    if (!place) continue;
    HF_TRY(const auto known, workspace.handles.last_read(opened, place->key));
    if (known) read.push_back(&change);
  }
  return read.size() == 1 ? read.front() : nullptr;
}

}  // namespace

Result<const PendingChange*> named_change(const std::vector<PendingChange>& pending, std::string_view id) {
  std::vector<const PendingChange*> fitting;
  for (const PendingChange& change : pending) {
    if (change.id == id) return &change;
    if (is_named(change, id)) fitting.push_back(&change);
  }
  if (fitting.empty())
    return fail(ErrorKind::not_found, fmt::format("there is no pending change {}", id),
                "it may have been decided meanwhile; the list shows what is pending", "not_found");
  if (fitting.size() == 1) return fitting.front();
  std::vector<std::string> names;
  for (const PendingChange* change : fitting) names.push_back(fmt::format("{} in {}", change->id, change->path));
  return fail(ErrorKind::ambiguous, fmt::format("{} is {}", id, fmt::join(names, ", ")), "name one of them");
}

Result<VerdictReport> decide(WorkspaceState& workspace, const Asker& asker, const Verdicts& verdicts) {
  if (!asker.reviewer)
    return fail(ErrorKind::refused, "only a person decides about changes", "withdraw takes back your own", "reviewer_required");
  VerdictMap by_id;
  for (const std::string& id : verdicts.accept) by_id[id] = Verdict::accept;
  for (const std::string& id : verdicts.reject)
    if (!by_id.emplace(id, Verdict::reject).second)
      return fail(ErrorKind::invalid, fmt::format("{} is to be accepted and rejected", id), "name it once", "bad_argument");
  HF_TRY(const auto pending, changes(workspace, verdicts.filter, asker.cancelled));
  if (verdicts.all)
    for (const PendingChange& change : pending)
      // Comments are not decided in passing: whoever wrote them is waiting for an answer.
      if (!is_remark(change)) by_id.emplace(change.id, *verdicts.all ? Verdict::accept : Verdict::reject);
  return apply_verdicts(workspace, asker, pending, by_id, verdicts.commit);
}

Result<std::string> withdraw(WorkspaceState& workspace, const Asker& asker, const std::vector<std::string>& ids) {
  HF_TRY(const Opened opened, workspace.handles.open(asker.who(), asker.session_id));
  if (ids.empty()) return fail(ErrorKind::invalid, "no change is named", "list_changes shows the ids", "bad_argument");
  HF_TRY(const auto pending, changes(workspace, {}, asker.cancelled));
  VerdictMap verdicts;
  std::vector<std::pair<std::string, std::string>> foreign;
  for (const std::string& id : ids) {
    HF_TRY(const auto change, change_of_session(workspace, opened, pending, id));
    if (!change) {
      verdicts.emplace(id, Verdict::reject);  // reported with the others
      continue;
    }
    HF_TRY(const auto owner, owner_of(workspace, change->mark));
    if (!owner || owner->principal != asker.principal || owner->author != opened.author)
      foreign.emplace_back(id, "not yours");
    else
      verdicts.emplace(change->id, Verdict::reject);
  }
  Asker quiet = asker;
  quiet.name = opened.author;
  HF_TRY(VerdictReport report, apply_verdicts(workspace, quiet, pending, verdicts, false));
  report.failed.insert(report.failed.end(), foreign.begin(), foreign.end());
  if (report.applied.empty()) {
    std::string reasons;
    for (const auto& [id, reason] : report.failed) reasons += fmt::format("{}{} ({})", reasons.empty() ? "" : ", ", id, reason);
    return fail(ErrorKind::refused, "nothing was withdrawn: " + reasons, "list_changes shows what is pending and whose it is",
                "bad_argument");
  }
  std::string text = fmt::format("Withdrawn: {}.", fmt::join(report.applied, ", "));
  for (const auto& [id, reason] : report.failed) text += fmt::format("\nNot withdrawn: {} ({}).", id, reason);
  for (const std::string& note : report.notes) text += fmt::format("\nNote: {}.", note);
  return text;
}

}  // namespace holdfast::documents
