#include "kinds/transcripts/rewrite/site_rules.h"

#include "base/ids.h"
#include "base/text/find_bytes.h"
#include "base/text/text.h"
#include "jsonl/spelling.h"
#include "kinds/transcripts/rewrite/identity.h"

#include <algorithm>

namespace holdfast::transcripts {

namespace {

using jsonl::Path;

// The name of a member. Names we know are letters alone, so only a "\u" could spell one otherwise: `storage` is for those.
std::string_view name_of(const Path::Step& step, std::string& storage) {
  if (!step.in_object) return {};
  if (!step.key.contains('\\')) return step.key;
  storage = jsonl::text_of(step.key);
  return storage;
}

bool is_named(const Path::Step& step, std::string_view name) {
  if (step.key.size() == name.size()) return step.in_object && step.key == name;
  return step.key.size() > name.size() && step.is(name);
}

// By length first: most names of a record are none of these.
RecordPlace place_at_top(std::string_view name) {
  switch (name.size()) {
    case 3:
      return name == "cwd" ? RecordPlace::working_folder : RecordPlace::other;
    case 4:
      if (name == "uuid") return RecordPlace::uuid;
      if (name == "type") return RecordPlace::type;
      return name == "slug" ? RecordPlace::slug : RecordPlace::other;
    case 7:
      return name == "agentId" ? RecordPlace::agent_id : RecordPlace::other;
    case 8:
      return name == "leafUuid" ? RecordPlace::uuid_link : RecordPlace::other;
    case 9:
      if (name == "sessionId") return RecordPlace::session_id;
      return name == "messageId" ? RecordPlace::uuid_link : RecordPlace::other;
    case 10:
      return name == "parentUuid" ? RecordPlace::uuid_link : RecordPlace::other;
    case 11:
      return name == "customTitle" ? RecordPlace::custom_title : RecordPlace::other;
    case 17:
      return name == "logicalParentUuid" ? RecordPlace::uuid_link : RecordPlace::other;
    case 23:
      return name == "sourceToolAssistantUUID" ? RecordPlace::uuid_link : RecordPlace::other;
    default:
      return RecordPlace::other;
  }
}

RecordPlace place_below(const Path& path, std::string_view name) {
  const bool agent = name == "agentId" || name == "resumedAgentId";
  if (agent && path.depth() == 2 && (is_named(path[0], "toolUseResult") || is_named(path[0], "data")))
    return RecordPlace::agent_id;
  if (name == "messageId" && path.depth() == 2 && is_named(path[0], "snapshot")) return RecordPlace::uuid_link;
  if (path.depth() >= 3 && is_named(path[0], "compactMetadata") &&
      (is_named(path[1], "preservedSegment") || is_named(path[1], "preservedMessages")))
    return RecordPlace::uuid_link;
  return RecordPlace::other;
}

// Do the steps end in message.content, `behind` steps before the last?
bool in_message_content(const Path& path, std::size_t behind) {
  if (path.depth() < behind + 2) return false;
  const std::size_t content = path.depth() - behind - 1;
  return is_named(path[content], "content") && is_named(path[content - 1], "message");
}

}  // namespace

RecordPlace place_in_record(const Path& path, bool may_be_escaped) {
  if (path.empty() || !path.last().in_object) return path.depth() > 2 ? place_below(path, {}) : RecordPlace::other;
  std::string storage;
  const std::string_view name = may_be_escaped ? name_of(path.last(), storage) : path.last().key;
  return path.depth() == 1 ? place_at_top(name) : place_below(path, name);
}

bool is_message_text(const Path& path) {
  if (path.empty()) return false;
  std::string storage;
  const std::string_view name = name_of(path.last(), storage);
  if (path.depth() == 1)
    return name == "content" || name == "summary" || name == "lastPrompt" || name == "customTitle" || name == "aiTitle" ||
           name == "agentName" || name == "tag";
  // message.content; message.content[].text, .thinking, .content; message.content[].content[].text
  if (name == "content") return in_message_content(path, 0) || in_message_content(path, 2);
  if (name == "thinking") return in_message_content(path, 2);
  if (name != "text") return false;
  if (in_message_content(path, 2)) return true;
  return in_message_content(path, 4) && is_named(path[path.depth() - 3], "content");
}

bool is_working_folder(const Path& path) {
  if (path.depth() == 1) return is_named(path[0], "cwd");
  return path.depth() == 2 && is_named(path[0], "projectPaths") && !path[1].in_object;
}

bool is_key_of_file_backups(const Path& path) {
  return path.depth() >= 2 && is_named(path[path.depth() - 2], "trackedFileBackups");
}

bool is_fork_history(const Path& path) {
  for (std::size_t i = 0; i < path.depth(); ++i)
    if (is_named(path[i], "forkedFrom")) return true;
  return false;
}

namespace {

using jsonl::StringSite;

constexpr std::size_t kLongestSpelling = 6;  // bytes of "\u0041" for one of text
constexpr std::string_view kPlans = "plans", kPlanEnd = ".md";
constexpr std::string_view kPathDelimiters = " \t\r\n\"'`<>|";  // of a path in longer text
constexpr std::string_view kAgentBegin = "agent-", kAgentEnd = ".jsonl";

// "/x", "~/x", "C:\x", "\\server\x"
bool is_absolute(std::string_view text) {
  const bool drive = text.size() > 2 && text[1] == ':' && is_slash(text[2]);
  return drive || is_slash(text[0]) || text.starts_with("~/");
}

// Could the whole text be one path? In people's words a blank makes it a sentence: "/review plans/x.md".
bool is_path(std::string_view text, bool in_words) {
  if (text.empty() || text.size() > kMaxPathLength) return false;
  bool blank = false;
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20) return false;
    blank |= c == ' ';
  }
  return !blank || (!in_words && is_absolute(text));
}

// Takes `part` and the slash before it off the end.
bool remove_part(std::string_view& path, std::string_view part) {
  if (path.size() <= part.size() || !path.ends_with(part) || !is_slash(path[path.size() - part.size() - 1])) return false;
  path.remove_suffix(part.size() + 1);
  return true;
}

// The longest part of a root that JSON spells in one way only, but for "\u".
std::string plain_part(std::string_view root) {
  std::string_view longest;
  for (std::size_t from = 0; from <= root.size();) {
    const std::size_t to = std::min(root.find_first_of("/\\", from), root.size());
    const std::string_view part = root.substr(from, to - from);
    const bool plain = std::ranges::none_of(part, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == '"'; });
    if (plain && part.size() > longest.size()) longest = part;
    from = to + 1;
  }
  return std::string(longest);
}

std::string with_each_replaced(std::string_view text, std::string_view old_text, std::string_view new_text) {
  std::string out;
  for (std::size_t done = 0;;) {
    const std::size_t at = find_bytes(text, old_text, done);
    out += text.substr(done, at - done);
    if (at == std::string_view::npos) return out;
    out += new_text;
    done = at + old_text.size();
  }
}

}  // namespace

SiteRules::SiteRules(const Identity& identity, const PathMap& paths, PathLevel level)
    : identity_(identity),
      paths_(paths),
      level_(paths.empty() ? PathLevel::none : level),
      looks_for_session_(!identity.keeps_id() || identity.old_folder != identity.new_folder) {
  if (level_ == PathLevel::none) return;
  const auto mark = [&](char c) { root_begins_[static_cast<unsigned char>(c)] = true; };
  mark('\\');  // of an escape, or of a Windows share
  for (const std::string_view root : paths.old_roots()) {
    mark(root[0]);
    mark('/');
    if (root.size() > 1 && root[1] == ':')
      for (const char c : to_ascii_lower(root.substr(0, 1))) mark(c), mark(static_cast<char>(c - 'a' + 'A'));
    root_parts_.push_back(plain_part(root));
  }
}

bool SiteRules::is_transcript() const {
  return kind_ == ArtifactKind::main_transcript || kind_ == ArtifactKind::flat_agent || kind_ == ArtifactKind::nested_agent;
}

void SiteRules::begin(std::string_view json) {
  facts_ = {};
  changed_.clear();
  sessions_.clear();
  next_session_ = 0;
  escapes_ = jsonl::may_have_escape(json, 'u');
  if (looks_for_session_)
    for (std::size_t at = find_bytes(json, identity_.old_session); at != std::string_view::npos;
         at = find_bytes(json, identity_.old_session, at + 1))
      sessions_.push_back(json.data() + at);
  mentions_root_ = level_ == PathLevel::all && may_mention_root(json);
}

// True unless the string certainly does not hold the old id. Strings are asked about in the order of the text.
bool SiteRules::may_hold_session(std::string_view raw) {
  if (!looks_for_session_) return false;
  while (next_session_ < sessions_.size() && sessions_[next_session_] < raw.data()) ++next_session_;
  if (next_session_ < sessions_.size() && sessions_[next_session_] < raw.data() + raw.size()) return true;
  return escapes_ && raw.size() >= identity_.old_session.size() && jsonl::may_have_escape(raw, 'u');
}

// True unless no rule about whole paths can apply.
bool SiteRules::may_be_path(std::string_view raw) const {
  if (raw.empty() || raw.size() > kMaxPathLength * kLongestSpelling) return false;
  if (root_begins_[static_cast<unsigned char>(raw[0])]) return true;
  if (identity_.slugs.empty() && identity_.agents.empty()) return false;
  return raw.ends_with(kPlanEnd) || raw.ends_with(kAgentEnd) || (escapes_ && jsonl::may_have_escape(raw, 'u'));
}

bool SiteRules::may_mention_root(std::string_view raw) const {
  if (escapes_ && jsonl::may_have_escape(raw, 'u')) return true;
  return std::ranges::any_of(
      root_parts_, [&](const std::string& part) { return part.empty() || find_bytes(raw, part) != std::string_view::npos; });
}

void SiteRules::decide(StringSite& site) {
  const std::string_view raw = site.raw();
  const bool session = may_hold_session(raw);
  if (site.is_key()) {
    if (identity_.fresh_uuids && site.path().depth() == 1 && site.is("forkedFrom")) facts_.forked = true;
    if (session || (may_be_path(raw) && is_key_of_file_backups(site.path()))) change_parts(site);
    return;
  }
  // Deeper than the top level only agent ids and links of uuids are told by their place.
  const bool placed = site.path().depth() == 1 || !identity_.agents.empty() || identity_.fresh_uuids;
  if (placed && replace_whole(site, place_in_record(site.path(), escapes_))) return;
  if (session || may_be_path(raw) || (mentions_root_ && may_mention_root(raw))) change_parts(site);
}

// Values that are told by their place; true when there is nothing more to do.
bool SiteRules::replace_whole(StringSite& site, RecordPlace place) {
  const bool in_journal = kind_ == ArtifactKind::workflow_journal || kind_ == ArtifactKind::workflow_run;
  if (in_journal && !site.path().empty() && site.path().last().is("agentId")) place = RecordPlace::agent_id;
  if (!is_transcript() && place != RecordPlace::agent_id) return false;
  switch (place) {
    case RecordPlace::type:
      facts_.type = site.raw();
      return false;
    case RecordPlace::session_id:
      if (!copies()) return false;
      site.replace(identity_.new_session);
      break;
    case RecordPlace::working_folder:
      if (known_folder_.empty() || site.raw() != known_folder_) return false;
      site.replace(known_change_.from, known_change_.to, known_change_.replacement);
      changed_.push_back({site.raw(), 0, true});
      return true;
    case RecordPlace::agent_id:
      return replace_named(site, identity_.agents);
    case RecordPlace::slug:
      return replace_named(site, identity_.slugs);
    case RecordPlace::custom_title:
      facts_.custom_title = site.raw();
      if (!copies()) return false;
      site.replace(clone_title(with_each_replaced(site.text(), identity_.old_session, identity_.new_session), identity_.suffix));
      break;
    case RecordPlace::uuid:
      facts_.uuid = site.raw();
      [[fallthrough]];
    case RecordPlace::uuid_link:
      if (!copies() || !identity_.fresh_uuids || !is_uuid(site.text())) return false;
      site.replace(fresh_uuid(identity_.new_session, site.text()));
      break;
    case RecordPlace::other:
      return false;
  }
  changed_.push_back({site.raw(), 1, false});
  return true;
}

bool SiteRules::replace_named(StringSite& site, const std::map<std::string, std::string, std::less<>>& names) {
  if (names.empty()) return false;
  const auto found = names.find(site.text());
  if (found == names.end()) return false;
  site.replace(found->second);
  changed_.push_back({site.raw(), 1, false});
  return true;
}

void SiteRules::change_parts(StringSite& site) {
  if (is_fork_history(site.path())) return;
  const std::string_view text = site.text();
  const bool in_words = !site.is_key() && is_message_text(site.path());
  const bool names_file = !site.is_key() || is_key_of_file_backups(site.path());
  const bool path = names_file && is_path(text, in_words);
  changes_.clear();
  matches_.clear();
  own_files_.clear();
  if (looks_for_session_) find_session(text, path);
  const bool own_file = (path && find_named_end(text)) || !own_files_.empty();
  if (level_ != PathLevel::none && names_file) {
    const bool translated = level_ == PathLevel::cwd ? !site.is_key() && is_working_folder(site.path()) : !in_words;
    find_roots(text, path && translated && !own_file);
  }
  if (changes_.empty()) return;
  apply(site);
  // The same folder stands in nearly every record.
  if (matches_.size() == 1 && changes_.size() == 1 && site.path().depth() == 1 && is_working_folder(site.path())) {
    known_folder_ = site.raw();
    known_change_ = std::move(matches_[0]);
  }
}

// The old id, and in front of it the project's folder: ".../projects/<folder>/<id>".
void SiteRules::find_session(std::string_view text, bool is_path) {
  const std::string_view id = identity_.old_session;
  for (std::size_t at = find_bytes(text, id); at != std::string_view::npos; at = find_bytes(text, id, at + id.size())) {
    find_folder_before(text, at, is_path);
    if (copies()) changes_.push_back({at, at + id.size(), identity_.new_session, false});
  }
}

void SiteRules::find_folder_before(std::string_view text, std::size_t at, bool is_path) {
  std::string_view before = text.substr(0, at);
  if (before.empty() || !is_slash(before.back())) return;
  before.remove_suffix(1);
  const std::size_t end = before.size();
  if (!remove_part(before, identity_.old_folder) || !remove_part(before, "projects")) return;
  own_files_.push_back(end);
  find_home(before, is_path);
  if (identity_.old_folder != identity_.new_folder)
    changes_.push_back({end - identity_.old_folder.size(), end, identity_.new_folder, false});
}

// The client's folder where the original was, at the end of what stands before one of its files: the copy's files are in
// another. In longer text the path begins behind a blank or a quote; a folder with a blank in it stays there as it was. So does
// a Windows path: what follows has separators of its own.
void SiteRules::find_home(std::string_view before, bool is_path) {
  const std::size_t delimiter = is_path ? std::string_view::npos : before.find_last_of(kPathDelimiters);
  const std::size_t from = delimiter == std::string_view::npos ? 0 : delimiter + 1;
  const std::string_view old_home = before.substr(from);
  if (identity_.new_home.empty() || !old_home.starts_with('/') || old_home == identity_.new_home) return;
  changes_.push_back({from, before.size(), identity_.new_home, false});
}

// A path that ends in plans/<slug>.md or agent-<id>.jsonl, of names that change.
bool SiteRules::find_named_end(std::string_view path) {
  const std::size_t slash = path.find_last_of("/\\");
  const std::size_t begin = slash == std::string_view::npos ? 0 : slash + 1;
  std::string_view folder = path.substr(0, begin), name = path.substr(begin);
  const auto rename = [&](const std::map<std::string, std::string, std::less<>>& names) {
    const auto found = names.find(name);
    if (found == names.end()) return false;
    const auto from = static_cast<std::size_t>(name.data() - path.data());
    changes_.push_back({from, from + name.size(), found->second, false});
    return true;
  };
  if (name.ends_with(kPlanEnd)) {
    name.remove_suffix(kPlanEnd.size());
    if (folder.empty()) return false;
    folder.remove_suffix(1);
    const bool with_home = remove_part(folder, kPlans);
    if ((!with_home && folder != kPlans) || !rename(identity_.slugs)) return false;
    if (with_home) find_home(folder, true);
    return true;
  }
  if (!name.starts_with(kAgentBegin) || !name.ends_with(kAgentEnd) || name.size() < kAgentBegin.size() + kAgentEnd.size())
    return false;
  name.remove_prefix(kAgentBegin.size());
  name.remove_suffix(kAgentEnd.size());
  if (!rename(identity_.agents)) return false;
  find_folder_before(path, begin, true);
  return true;
}

// The client's own files lie in its home folder, which does not move with the project, even if the project was that folder.
bool SiteRules::is_own_file(std::string_view text, const PathMap::Match& root) const {
  return std::ranges::any_of(own_files_, [&](std::size_t end) {
    return end > root.to && text.substr(root.to, end - root.to).find_first_of(kPathDelimiters) == std::string_view::npos;
  });
}

// Old roots: at the front of a whole path, at level all wherever a path may begin.
void SiteRules::find_roots(std::string_view text, bool translates_whole) {
  if (translates_whole)
    if (auto root = paths_.root_of(text)) matches_.push_back(std::move(*root));
  const std::size_t done = matches_.empty() ? 0 : matches_.back().to;
  if (mentions_root_)
    for (PathMap::Match& match : paths_.occurrences(text))
      if (match.from >= done && !is_own_file(text, match)) matches_.push_back(std::move(match));
  for (const PathMap::Match& match : matches_) changes_.push_back({match.from, match.to, match.replacement, true});
}

void SiteRules::apply(StringSite& site) {
  std::ranges::sort(changes_, {}, &Change::from);
  Changed changed{site.raw(), 0, false};
  for (const Change& change : changes_) {
    if (!site.replace(change.from, change.to, change.text)) continue;  // inside a root that was replaced already
    changed.path |= change.is_path;
    changed.ids += change.is_path ? 0 : 1;
  }
  changed_.push_back(changed);
}

}  // namespace holdfast::transcripts
