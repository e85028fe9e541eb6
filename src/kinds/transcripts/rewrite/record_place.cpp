#include "kinds/transcripts/rewrite/record_place.h"

#include "jsonl/spelling.h"

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

}  // namespace holdfast::transcripts
