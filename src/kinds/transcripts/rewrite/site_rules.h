#pragma once

// What a copy changes in one string of a file: the rules of transcript-archive §5 and §6, string by string.
//
// A JSON text is announced with begin(), then every string of it is shown in order (jsonl::Splicer does that). Whether a change
// is kept is the splicer's decision (thinking blocks are given back), so what was changed is remembered per string and counted
// later. Most strings are none of our business and must cost next to nothing: what begin() learns about the whole text
// answers for nearly all of them. One thread.

#include "jsonl/path.h"
#include "jsonl/splice.h"
#include "kinds/transcripts/rewrite/identity.h"
#include "kinds/transcripts/rewrite/path_map.h"

#include <array>
#include <optional>
#include <span>

namespace holdfast::transcripts {

// What a string of a transcript's record is, by where it stands (transcript-archive §5, §6; on-disk §4, §5).
//
// Asked about every string of a session, so nothing here allocates unless a name is spelled with escapes.

enum class RecordPlace {
  other,
  session_id,      // top-level sessionId
  agent_id,        // agentId: top level, in toolUseResult, in data; resumedAgentId
  slug,            // top-level slug
  custom_title,    // top-level customTitle
  type,            // top-level type
  working_folder,  // top-level cwd
  uuid,            // the record's own
  uuid_link        // a uuid of another record (or of the same: messageId)
};

// Of a string value. `may_be_escaped`: the text has a "\u" somewhere, which may be in its name.
RecordPlace place_in_record(const jsonl::Path& path, bool may_be_escaped);

// Words that people and models exchanged: path translation of fields leaves them alone.
bool is_message_text(const jsonl::Path& path);

bool is_working_folder(const jsonl::Path& path);       // top-level cwd, projectPaths[]
bool is_key_of_file_backups(const jsonl::Path& path);  // of a key: a file's path in trackedFileBackups
bool is_fork_history(const jsonl::Path& path);         // in forkedFrom, which speaks of another session

// Longer is no path on any system we know (PATH_MAX of Linux).
inline constexpr std::size_t kMaxPathLength = 4096;

class SiteRules {
 public:
  // Both must outlive this.
  SiteRules(const Identity& identity, const PathMap& paths, PathLevel level);

  // Nothing can change, whatever the text: it need not be looked into.
  bool inert() const { return !looks_for_session_ && level_ == PathLevel::none; }

  void begin_file(ArtifactKind kind) { kind_ = kind; }
  void begin(std::string_view json);
  void decide(jsonl::StringSite& site);

  // Of the record shown since begin(); as spelled, empty when missing.
  struct Facts {
    std::string_view type, uuid;
    std::optional<std::string_view> custom_title;
    bool forked = false;  // has forkedFrom
  };
  const Facts& facts() const { return facts_; }

  struct Changed {
    std::string_view raw;   // the string, in the text
    std::uint64_t ids = 0;  // session and agent ids, slugs, titles
    bool path = false;      // one or more were translated
  };
  std::span<const Changed> changed() const { return changed_; }

 private:
  struct Change {
    std::size_t from, to;
    std::string_view text;
    bool is_path;
  };

  bool copies() const { return !identity_.keeps_id(); }
  bool is_transcript() const;
  bool may_hold_session(std::string_view raw);
  bool may_be_path(std::string_view raw) const;
  bool may_mention_root(std::string_view raw) const;
  bool replace_whole(jsonl::StringSite& site, RecordPlace place);
  bool replace_named(jsonl::StringSite& site, const std::map<std::string, std::string, std::less<>>& names);
  void change_parts(jsonl::StringSite& site);
  void find_session(std::string_view text, bool is_path);
  bool find_named_end(std::string_view path);
  void find_folder_before(std::string_view text, std::size_t at, bool is_path);
  void find_home(std::string_view before, bool is_path);
  bool is_own_file(std::string_view text, const PathMap::Match& root) const;
  void find_roots(std::string_view text, bool translates_whole);
  void apply(jsonl::StringSite& site);

  const Identity& identity_;
  const PathMap& paths_;
  PathLevel level_;
  bool looks_for_session_;               // its id, or the folder in front of it, changes
  std::array<bool, 256> root_begins_{};  // bytes a spelling of an old root may begin with
  std::vector<std::string> root_parts_;  // of each old root a part that is in every text that names it; empty: ask always

  ArtifactKind kind_ = ArtifactKind::main_transcript;
  bool escapes_ = false;               // the text may spell letters as "\u..."
  bool mentions_root_ = false;         // for level all
  std::vector<const char*> sessions_;  // where the text has the old id, letter by letter
  std::size_t next_session_ = 0;
  std::string known_folder_;  // the last cwd that was translated, as spelled, and how
  PathMap::Match known_change_;
  Facts facts_;
  std::vector<Changed> changed_;
  std::vector<Change> changes_;          // of the string being looked at
  std::vector<PathMap::Match> matches_;  // whose texts the changes view
  std::vector<std::size_t> own_files_;   // where in it ".../projects/<folder>/" of this session ends
};

}  // namespace holdfast::transcripts
