// Lines of Claude Code (on-disk §4).

#include "base/json/json.h"
#include "kinds/transcripts/passages/line_passages.h"

#include <algorithm>
#include <array>

namespace holdfast::transcripts {
namespace {

using jsonl::Path;
using search::PassageRole;

// Records that hold state of the client, or repeat what stands in others.
constexpr std::array<std::string_view, 18> kWithoutText = {"agent-color",
                                                           "agent-setting",
                                                           "bridge-session",
                                                           "content-replacement",
                                                           "file-history-snapshot",
                                                           "fork-context-ref",
                                                           "isolation-latch",
                                                           "last-prompt",
                                                           "mode",
                                                           "permission-mode",
                                                           "progress",
                                                           "queue-operation",
                                                           "relocated",
                                                           "speculation-accept",
                                                           "worktree-state",
                                                           "agent-name",
                                                           "started",
                                                           "result"};
// Strings of unknown records that say nothing.
constexpr std::array<std::string_view, 15> kIds = {"uuid",      "parentUuid", "sessionId", "type",     "timestamp",
                                                   "version",   "cwd",        "gitBranch", "userType", "entrypoint",
                                                   "requestId", "slug",       "agentId",   "promptId", "messageId"};
constexpr std::array<std::string_view, 3> kPathArguments = {"file_path", "notebook_path", "path"};
// Tools that read or write the file their argument names; others (searches) only look there.
constexpr std::array<std::string_view, 6> kFileTools = {"Read", "Edit", "MultiEdit", "Write", "NotebookEdit", "NotebookRead"};

// More blocks than any message has; a line made of empty ones must not cost many times its size. What is beyond shares the last.
constexpr std::size_t kMaxBlocks = 4096;

template <class List>
bool is_one_of(const List& list, std::string_view text) {
  return std::ranges::find(list, text) != list.end();
}

// One content block of a message.
struct Block {
  std::string_view type, text, thinking, name, path;
  std::vector<std::string_view> strings;  // of the input, or of the result
  bool failed = false;

  void clear() {
    type = text = thinking = name = path = {};
    strings.clear();
    failed = false;
  }
};

// What a record holds, as spelled.
struct Record {
  std::string_view type, time, branch, cwd, content, title, model, message, result_path;
  bool meta = false, summary = false, failed = false;
  bool odd = false;                      // a name is spelled otherwise than clients do
  std::vector<std::string_view> others;  // attachments, unknown records
  std::vector<Block> blocks;             // the first `used`
  std::size_t used = 0;

  void clear() {
    type = time = branch = cwd = content = title = model = message = result_path = {};
    meta = summary = failed = odd = false;
    others.clear();
    used = 0;
  }
  Block& block(std::size_t index) {
    index = std::min(index, kMaxBlocks);
    while (used <= index) {
      if (blocks.size() == used) blocks.emplace_back();
      blocks[used++].clear();
    }
    return blocks[index];
  }
};

class Gather final : public jsonl::LineVisitor {
 public:
  explicit Gather(Record& record) : record_(record) {}

  void on_key(const Path& path, std::string_view raw) override {
    record_.odd = record_.odd || raw.contains('\\');
    if (path.depth() == 1)
      area_ = raw == "message"         ? Area::message
              : raw == "toolUseResult" ? Area::result
              : raw == "attachment"    ? Area::attachment
                                       : Area::top;
  }

  void on_string(const Path& path, std::string_view raw) override {
    if (path.empty()) return;
    switch (area_) {
      case Area::top:
        return path.depth() == 1 ? top(path.last().key, raw) : other(path, raw);
      case Area::message:
        return message(path, raw);
      case Area::attachment:
        return other(path, raw);
      case Area::result:
        if (path.last().in_object && path.last().key == "filePath" && path.depth() <= 3) record_.result_path = raw;
        return;
    }
  }

  void on_scalar(const Path& path, std::string_view token) override {
    if (token != "true" || path.empty() || !path.last().in_object) return;
    const std::string_view key = path.last().key;
    if (path.depth() == 1) {
      record_.meta |= key == "isMeta";
      record_.summary |= key == "isCompactSummary";
      record_.failed |= key == "isApiErrorMessage";
    } else if (key == "is_error" && in_block(path) && path.depth() == 4) {
      record_.block(path[2].index).failed = true;
    }
  }

 private:
  enum class Area { top, message, result, attachment };

  static bool in_block(const Path& path) {
    return path.depth() >= 4 && path[0].key == "message" && path[1].key == "content" && !path[2].in_object && path[3].in_object;
  }

  void top(std::string_view key, std::string_view raw) {
    if (key == "type")
      record_.type = raw, record_.odd = record_.odd || raw.contains('\\');
    else if (key == "timestamp")
      record_.time = raw;
    else if (key == "gitBranch")
      record_.branch = raw;
    else if (key == "cwd")
      record_.cwd = raw;
    else if (key == "content")
      record_.content = raw;
    else if (key == "customTitle" || key == "aiTitle" || key == "summary")
      record_.title = raw;
    else if (!is_one_of(kIds, key))
      record_.others.push_back(raw);
  }

  void other(const Path& path, std::string_view raw) {
    if (path.last().in_object && (is_one_of(kIds, path.last().key) || path.last().key == "data")) return;
    record_.others.push_back(raw);
  }

  void message(const Path& path, std::string_view raw) {
    if (path.depth() == 2) {
      if (path[1].key == "content") record_.message = raw;
      if (path[1].key == "model") record_.model = raw;
      return;
    }
    if (!in_block(path)) return;
    Block& block = record_.block(path[2].index);
    const std::string_view key = path[3].key;
    if (path.depth() == 4) {
      if (key == "type")
        block.type = raw, record_.odd = record_.odd || raw.contains('\\');
      else if (key == "text")
        block.text = raw;
      else if (key == "thinking")
        block.thinking = raw;
      else if (key == "name")
        block.name = raw;
      else if (key == "content")
        block.strings.push_back(raw);
    } else if (key == "input") {
      if (path.depth() == 5 && is_one_of(kPathArguments, path[4].key)) block.path = raw;
      block.strings.push_back(raw);
    } else if (key == "content" && path.last().in_object && path.last().key == "text") {
      block.strings.push_back(raw);
    }
  }

  Record& record_;
  Area area_ = Area::top;
};

class ClaudePassages final : public LinePassages {
 public:
  bool line(std::string_view text, const LinePlace& place, const Take& take) override {
    record_.clear();
    Gather gather(record_);
    if (!scanner_.visit(text, gather).parsed()) return true;
    if (record_.odd) {
      // Names are compared as they are spelled; one that is spelled with escapes means the same.
      const auto json = parse_json(text);
      if (json) plain_ = holdfast::to_json(*json);
      record_.clear();
      Gather again(record_);
      if (!json || !scanner_.visit(plain_, again).parsed()) return true;
    }
    place_ = &place;
    take_ = &take;
    time_ = parse_time(record_.time).value_or(0);
    const std::string_view type = record_.type;
    if (type == "user" || type == "assistant") return conversation(type == "user");
    if (!record_.title.empty()) return one(PassageRole::title, record_.title);
    if (type == "system") return one(PassageRole::system, record_.content);
    if (is_one_of(kWithoutText, type)) return true;
    begin(PassageRole::system);
    parts_.add_text(record_.content);
    for (const std::string_view raw : record_.others) parts_.add_text(raw);
    return end();
  }

 private:
  bool conversation(bool of_user) {
    const PassageRole spoken = !of_user                          ? PassageRole::assistant
                               : record_.meta || record_.summary ? PassageRole::system
                                                                 : PassageRole::user;
    if (!record_.message.empty() && !one(spoken, record_.message)) return false;
    for (std::size_t i = 0; i < record_.used; ++i)
      if (!block(record_.blocks[i], spoken)) return false;
    return true;
  }

  bool block(const Block& block, PassageRole spoken) {
    if (block.type == "thinking") return one(PassageRole::thinking, block.thinking);
    if (block.type == "tool_use" || block.type == "server_tool_use") {
      begin(PassageRole::tool_call);
      parts_.add_attribute("tool:", block.name);
      if (is_one_of(kFileTools, block.name)) add_file(block.path);
      parts_.add_text(block.name);
      for (const std::string_view raw : block.strings) parts_.add_text(raw);
      return end();
    }
    if (block.type == "tool_result" || block.type.ends_with("_tool_result")) {
      begin(PassageRole::tool_result);
      if (block.failed) parts_.add_plain_attribute("error");
      add_file(record_.result_path);
      for (const std::string_view raw : block.strings) parts_.add_text(raw);
      return end();
    }
    return one(spoken, block.text);
  }

  bool one(PassageRole role, std::string_view raw) {
    begin(role);
    parts_.add_text(raw);
    return end();
  }

  void begin(PassageRole role) {
    parts_.begin(role);
    if (record_.branch != "HEAD") parts_.add_attribute("branch:", record_.branch);
    if (record_.model != "<synthetic>") parts_.add_attribute("model:", record_.model);
    if (record_.failed) parts_.add_plain_attribute("error");
  }
  bool end() { return parts_.hand_over(*place_, time_, *take_); }

  void add_file(std::string_view raw) {
    if (raw.empty()) return;
    std::string attribute = file_attribute(jsonl::text_of(raw), jsonl::text_of(record_.cwd));
    if (!attribute.empty()) parts_.add_plain_attribute(std::move(attribute));
  }

  jsonl::Scanner scanner_;
  Record record_;
  PassageParts parts_;
  std::string plain_;
  const LinePlace* place_ = nullptr;
  const Take* take_ = nullptr;
  Millis time_ = 0;
};

}  // namespace

std::string file_attribute(std::string_view path, std::string_view folder) {
  std::string whole;
  if (!path.starts_with('/')) {
    if (!folder.starts_with('/') || path.empty()) return {};
    whole = std::string(folder) + "/";
  }
  whole += path;
  std::vector<std::string_view> names;
  for (std::size_t at = 0; at < whole.size();) {
    const std::size_t end = std::min(whole.find('/', at), whole.size());
    const std::string_view name = std::string_view(whole).substr(at, end - at);
    at = end + 1;
    if (name.empty() || name == ".") continue;
    if (name != "..")
      names.push_back(name);
    else if (!names.empty())
      names.pop_back();
  }
  std::string attribute = "file:";
  for (const std::string_view name : names) (attribute += '/') += name;
  return names.empty() ? std::string() : attribute;
}

std::unique_ptr<LinePassages> claude_passages() {
  return std::make_unique<ClaudePassages>();
}

}  // namespace holdfast::transcripts
