#pragma once

// What a person reads of a session, whatever its kind and whoever wrote it.
//
// Producers (one for each kind, in its room) turn records into turns; renderers (HTML, Markdown) turn turns into documents. The
// text in here is a stranger's: it may hold markup, escape sequences and control characters, and only renderers make it harmless.
// It is valid UTF-8, and cut to the limits that were asked for; `left_out` says how much is missing.

#include "base/json/json.h"
#include "base/run/clock.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::reading {

enum class Role { user, assistant, system, other };
std::string_view name_of(Role role);  // "user", ...

// A text that may have been cut.
struct CutText {
  std::string text;
  std::uint64_t left_out = 0;  // bytes behind it
};
// Valid UTF-8 of at most `limit` bytes.
CutText cut_text(std::string_view text, std::size_t limit);

struct Image {
  std::string media_type;  // as the record says; renderers show those of a fixed list alone
  std::string reference;   // what Reading::image() finds the bytes by
  std::string base64;      // the bytes, when they were asked for
};
// image/png, image/jpeg, image/gif, image/webp: nothing that can hold a script.
bool is_shown_image(std::string_view media_type);

struct Diff {
  std::string path;
  std::string before, after;  // both empty: see patch
  std::string patch;          // lines that begin with '+', '-', ' ' or '@@'
};

struct Todo {
  std::string text;
  std::string status;  // "completed", "in_progress", "pending", or another word
};

struct ToolResult {
  CutText output;
  std::vector<Image> images;
  bool error = false;
  std::uint64_t line = 0;
  std::string patch;         // of an edit, when the record has it
  std::string saved_output;  // reference of the file that holds the whole output; empty: none
};

// Another conversation that a tool call began.
struct Subagent {
  std::string id;           // names it within the session
  std::string type;         // "general-purpose"
  std::string description;  // as the caller put it
};

struct Part {
  enum class Kind {
    text,         // Markdown
    thinking,     // Markdown
    tool_call,    // name, id, arguments; result when it is known
    tool_result,  // of a call that is not near: name and id tell which
    image,
    diff,    // a proposed or made change
    notice,  // what a program noted: `name` says of what kind
    raw      // a record we cannot tell more about: its JSON, or its bytes
  } kind = Kind::text;
  std::uint64_t line = 0;  // of its record, from 1; or its sequence number
  CutText text;
  std::string name, id;
  JsonObject arguments;
  std::optional<ToolResult> result;
  std::optional<Subagent> subagent;
  std::vector<Image> images;
  std::vector<Diff> diffs;
  std::vector<Todo> todos;
};

// Where the conversation went on in another way, too.
struct Fork {
  std::uint64_t line = 0;  // of the first record of the other way
  std::string words;       // its beginning, on one line
};

struct Turn {
  std::uint64_t line = 0;  // of its first record
  std::string id;          // the record's own: uuid, message id
  Role role = Role::other;
  std::string author;      // model, agent, label; may be empty
  std::string lane;        // a side line (the branch of a thought); empty: the main one
  Millis time = 0;         // 0: unknown
  bool prompt = false;     // typed by a person: what tables of contents list
  bool meta = false;       // written by the client, not by a person or a model
  bool sidechain = false;  // of another conversation, in the same file
  bool compaction = false;
  bool error = false;  // the turn itself is one: an API error
  bool damaged = false;
  std::vector<Part> parts;
  std::vector<Fork> forks;  // other continuations behind this turn

  bool has_error() const;  // its own, or of one of its tools
};

// What stands above the turns.
struct Heading {
  std::string id, kind, title, project, resume_command;
  Millis first_time = 0, last_time = 0;                      // 0: unknown
  std::vector<std::pair<std::string, std::string>> details;  // name and value: "branch", "status", ...
  std::vector<Subagent> subagents;                           // all of the session
};

}  // namespace holdfast::reading
