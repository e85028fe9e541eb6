#pragma once

// What a string of a transcript's record is, by where it stands (transcript-archive §5, §6; on-disk §4, §5).
//
// Asked about every string of a session, so nothing here allocates unless a name is spelled with escapes.

#include "jsonl/path.h"

namespace holdfast::transcripts {

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

}  // namespace holdfast::transcripts
