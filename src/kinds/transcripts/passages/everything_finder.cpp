// How one question is answered from transcripts and the store together.
//
// In comes a request: words, and conditions on where, when and by whom something was said. Out come sessions, best first, each
// with the places that answer. The words are read once, so that both sides look for the same. Transcripts are asked first,
// through the index: which files may answer is settled before it searches (a project is all working trees of its repository, and
// a Codex rollout says only inside where it ran), because a hit that is thrown away afterwards would have cost another its place
// below the limit. Then the store, unless a condition is about what only transcripts have. Both measure alike how well a place
// fits, so the hits are sorted as one list and fill sessions from the best on until there are enough. Only sessions that are
// shown are described: title, project and state are read from the ends of their files, in the place where each lies now; what was
// purged meanwhile is left out.

#include "kinds/transcripts/passages/everything_finder.h"

#include "base/text/text.h"
#include "base/text/uri.h"
#include "kinds/transcripts/home/worktrees.h"
#include "kinds/transcripts/products/claude/project_folder.h"
#include "kinds/transcripts/products/claude/prompt.h"
#include "kinds/transcripts/reading/session_info.h"
#include "session/limits.h"
#include "session/query/display.h"
#include "session/query/search.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>

namespace holdfast::transcripts {
namespace {

using search::Source;
using search::TextHit;
using session::FindRequest;
using session::FindResult;
using session::FoundInSession;
using session::FoundPlace;

constexpr std::string_view kTranscript = "transcript";
constexpr std::array<std::string_view, 6> kKinds = {kTranscript, "reasoning", "thread", "research", "document", "run"};
constexpr std::uint64_t kTitleWithinBytes = 256 * 1024;  // where the title of a kept session is looked for

// Without regard to case. A tool of a server is also meant by its own name: mcp__wiki__search by "search".
std::function<bool(std::string_view)> named(const std::string& wanted) {
  return [folded = fold_case(wanted)](std::string_view value) {
    const std::string name = fold_case(value);
    return name == folded || name.ends_with("__" + folded);
  };
}
std::function<bool(std::string_view)> containing(const std::string& wanted) {
  return [folded = fold_case(wanted)](std::string_view value) { return fold_case(value).contains(folded); };
}

// The same path, or the end of one: of what is asked for, or (Codex tells no more) of what is known.
std::function<bool(std::string_view)> touching(const std::string& wanted) {
  return [wanted](std::string_view value) {
    const auto ends_so = [](std::string_view path, std::string_view end) {
      return path.ends_with(end) && (path.size() == end.size() || path[path.size() - end.size() - 1] == '/');
    };
    return ends_so(value, wanted) || (!value.starts_with('/') && ends_so(wanted, value));
  };
}

bool wants(const FindRequest& request, std::string_view kind) {
  return request.kinds.empty() || std::ranges::find(request.kinds, kind) != request.kinds.end();
}

// Filters that only lines of transcripts have.
bool is_about_transcripts(const FindRequest& request) {
  return !request.branch.empty() || !request.tool.empty() || !request.model.empty() || !request.file.empty();
}

FoundPlace place_of(const TextHit& hit) {
  FoundPlace place;
  place.line = hit.line;
  place.source = hit.source.key.empty() ? "store:" + hit.source.session : hit.source.key;
  place.role = hit.role;
  place.time = hit.time;
  place.snippet = hit.snippet;
  place.highlights = hit.highlights;
  for (const std::string& attribute : hit.attributes)
    if (attribute.starts_with("tool:")) place.tool = attribute.substr(std::string_view("tool:").size());
  return place;
}

// The path and the other working trees of its repository.
Result<std::vector<std::string>> trees_of(const std::string& path) {
  HF_TRY(const std::string canonical, canonical_project(path));
  std::vector<std::string> trees = worktrees_of(canonical);
  trees.push_back(canonical);
  return trees;
}

// The folders of projects/ that belong to them.
Result<std::set<std::string>> folders_of(const Home& home, const std::vector<std::string>& trees) {
  std::set<std::string> folders;
  for (const std::string& tree : trees) {
    for (std::string& name : project_folder_names(tree)) folders.insert(std::move(name));
    HF_TRY(auto existing, folders_of_project(home, tree));
    folders.insert(existing.begin(), existing.end());
  }
  return folders;
}

}  // namespace

Result<std::vector<std::string>> EverythingFinder::attributes(std::string_view prefix, std::size_t limit) {
  return index_.attributes(prefix, limit);
}

Result<search::IndexState> EverythingFinder::index_state() {
  return index_.state(sources_);
}

Result<std::function<bool(const Source&)>> EverythingFinder::admitted(const FindRequest& request) {
  std::set<std::string> folders, codex;
  if (!request.project.empty()) {
    HF_TRY(const std::vector<std::string> trees, trees_of(request.project));
    HF_TRY(folders, folders_of(homes_.claude, trees));
    HF_TRY(auto sessions, codex_sessions(homes_.codex));
    for (CodexSession& each : sessions)
      if (const auto known = summarise_codex(homes_.codex, std::move(each));
          known && std::ranges::find(trees, known->cwd) != trees.end())
        codex.insert(known->id);
  }
  return [folders = std::move(folders), codex = std::move(codex), only = request.session, without = request.not_session,
          any_project = request.project.empty()](const Source& source) {
    if (!only.empty() && source.session != only) return false;
    if (!without.empty() && source.session == without) return false;
    if (any_project) return true;
    const auto name = source_name(source.key);
    return name && (name->codex ? codex.contains(name->session) : folders.contains(name->project_folder));
  };
}

Result<search::TextQuery> EverythingFinder::query_of(const FindRequest& request, const std::vector<search::TextClause>& clauses) {
  search::TextQuery query;
  query.clauses = clauses;
  query.roles = request.roles;
  query.since = request.since;
  query.until = request.until;
  query.order = request.order;
  query.per_session = request.per_session;
  query.limit = request.limit * std::max<std::size_t>(request.per_session, 1);
  if (!request.branch.empty()) query.filters.push_back({"branch:", named(request.branch)});
  if (!request.tool.empty()) query.filters.push_back({"tool:", named(request.tool)});
  if (!request.model.empty()) query.filters.push_back({"model:", containing(request.model)});
  if (!request.file.empty()) query.filters.push_back({"file:", touching(request.file)});
  HF_TRY(query.admits, admitted(request));
  return query;
}

Result<FindResult> EverythingFinder::find(const FindRequest& request) {
  for (const std::string& kind : request.kinds)
    if (std::ranges::find(kKinds, kind) == kKinds.end())
      return fail(ErrorKind::invalid, fmt::format("there is no kind {}", kind), fmt::format("use {}", fmt::join(kKinds, ", ")));
  std::vector<search::TextClause> clauses;
  if (!request.text.empty()) {
    HF_TRY(clauses, search::parse_text_query(request.text, {.as_typed = request.as_typed}));
  } else if (!is_about_transcripts(request)) {
    return fail(ErrorKind::invalid, "there is nothing to look for",
                "give words, a \"phrase\", or a filter such as a file or tool");
  }
  FindResult result;
  std::vector<TextHit> hits;
  if (request.transcripts && wants(request, kTranscript)) HF_CHECK(search_transcripts(request, clauses, hits, result));
  if (request.store && !request.text.empty() && !is_about_transcripts(request)) HF_CHECK(search_store(request, hits, result));
  // Both measure how well a place fits in the same way (search/index/passage_match.h).
  const bool newest = request.order == search::TextQuery::Order::newest;
  std::ranges::stable_sort(hits, [newest](const TextHit& a, const TextHit& b) {
    if (!newest && a.score != b.score) return a.score > b.score;
    return a.time > b.time;
  });
  HF_TRY(const Activity activity, Activity::read(homes_.claude, clock_.now()));
  for (const TextHit& hit : hits) {
    auto known = std::ranges::find(result.sessions, hit.source.session, &FoundInSession::id);
    if (known == result.sessions.end()) {
      if (result.sessions.size() >= request.limit) {
        result.more = true;
        continue;
      }
      FoundInSession found;
      if (!hit.source.key.empty())
        describe(found, hit.source, activity);
      else if (!describe_stored(found, hit.source.session, *request.store))
        continue;  // gone since
      known = result.sessions.insert(result.sessions.end(), std::move(found));
    }
    known->places.push_back(place_of(hit));
  }
  if (newest) std::ranges::sort(result.sessions, std::greater{}, &FoundInSession::time);
  return result;
}

Result<void> EverythingFinder::search_transcripts(const FindRequest& request, const std::vector<search::TextClause>& clauses,
                                                  std::vector<TextHit>& hits, FindResult& result) {
  HF_TRY(const search::TextQuery query, query_of(request, clauses));
  HF_TRY(search::TextResult found, index_.search(sources_, query));
  result.more = found.more;
  result.more_places = found.more_in_sessions;
  result.unreadable = std::move(found.unreadable);
  result.coverage = {found.index, found.bytes_scanned};
  hits = std::move(found.hits);
  return {};
}

Result<void> EverythingFinder::search_store(const FindRequest& request, std::vector<TextHit>& hits, FindResult& result) {
  session::SearchQuery query;
  for (const std::string& kind : request.kinds)
    if (kind != kTranscript) query.kinds.push_back(kind);
  if (!request.kinds.empty() && query.kinds.empty()) return {};
  if (!request.project.empty()) {
    HF_TRY(const std::string canonical, canonical_project(request.project));
    query.roots = {file_uri_of_path(canonical)};
  }
  query.text = request.text;
  query.as_typed = request.as_typed;
  query.codes_are_words = false;
  query.roles = request.roles;
  query.session = request.session;
  query.not_session = request.not_session;
  query.since = request.since;
  query.until = request.until;
  query.limit = std::min(request.limit * std::max<std::size_t>(request.per_session, 1), session::kMaxSearchLimit);
  query.per_session = request.per_session > 0 ? request.per_session : query.limit;
  HF_TRY(session::SearchResult found, request.store->search(query));
  result.more = result.more || found.more;
  for (session::SearchHit& hit : found.hits) {
    TextHit text_hit;
    text_hit.source.session = hit.session;
    text_hit.line = static_cast<std::uint64_t>(hit.seq);
    text_hit.role = hit.role;
    text_hit.time = hit.time;
    text_hit.score = hit.score;
    text_hit.snippet = std::move(hit.snippet);
    text_hit.highlights = std::move(hit.highlights);
    hits.push_back(std::move(text_hit));
  }
  return {};
}

bool EverythingFinder::describe_stored(FoundInSession& found, const std::string& id, session::Store& store) {
  const auto record = store.get(id);
  if (!record) return false;
  found.id = record->id;
  found.kind = record->kind;
  found.title = session::shown_title(*record);
  found.project = record->root_uri;
  found.status = session::shown_status(*record);
  found.time = record->updated_at;
  return true;
}

void EverythingFinder::describe(FoundInSession& found, const Source& source, const Activity& activity) {
  found.id = source.session;
  found.kind = kTranscript;
  found.product = source.key.starts_with(kCodexKeys) ? "codex" : "claude";
  found.time = source.changed_at;
  const auto name = source_name(source.key);
  AnySession here;
  if (name && !name->codex) {
    const SessionPlace place{source.session, name->project_folder};
    const auto status = homes_.claude.stat(place.transcript());
    if (status && *status) here.found = FoundSession{place, static_cast<std::uint64_t>((*status)->st_size), mtime_of(**status)};
  }
  const bool is_here = here.claude() && here.claude()->size > 0;
  auto any = is_here ? Result<AnySession>(here) : homes_.find(source.session);
  if (any) {
    if (const auto line = homes_.line_of(*any)) {
      found.title = line->title;
      found.project = line->project_path;
      found.branch = line->git_branch;
      found.resume = resume_command(*line);
      found.time = line->last_time > 0 ? line->last_time : any->mtime();
      found.size = any->size();
    }
    found.status = activity.of(found.id, any->mtime()).word();
    return;
  }
  found.size = source.size;
  // What the client left behind of a session that is gone can be read, but not gone on with.
  found.status = is_kept(source) ? "kept" : "gone";
  if (found.status == "kept") found.resume = "holdfast restore " + source.session;
  std::string opening;
  const auto read = sources_.read(source, {}, kTitleWithinBytes, [&](const search::Passage& passage) {
    if (passage.role == search::PassageRole::title) found.title = one_line(passage.text, kTitleLength);
    if (opening.empty() && passage.role == search::PassageRole::user) opening = one_line(passage.text, kTitleLength);
    return true;
  });
  if (!read || found.title.empty()) found.title = std::move(opening);
}

}  // namespace holdfast::transcripts
