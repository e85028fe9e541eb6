#pragma once

// What a server offers: tools, resources, prompts. Each is declared in one place.

#include "base/identity.h"
#include "base/json/json.h"
#include "mcp/server/call.h"
#include "mcp/wire/reply.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::mcp {

// Where a handler runs. io: on the I/O thread, for what takes microseconds and never blocks.
enum class RunOn { pool, io };

struct Tool {
  // What happens to arguments that the schema's properties do not name (design 8.22).
  enum class Unknown { as_schema_says, refuse, report };
  enum class Tasks { never, optional, required };
  // In which eras the tool is listed and can be called.
  enum class Eras { both, modern_only };

  std::string name;  // 1-64 of [A-Za-z0-9_./-]
  std::string title;
  std::string description;
  JsonObject input_schema;  // listed verbatim (refuse adds additionalProperties:false), and what validates
  // A promise: a result that breaks it is answered as an internal error. An object schema, for the sake of the
  // legacy era.
  std::optional<JsonObject> output_schema;
  JsonObject annotations;  // readOnlyHint, destructiveHint, ...
  Unknown unknown = Unknown::as_schema_says;
  // The word of this tool's own contract for arguments that do not fit: they are then answered as {error, message, hint} like all
  // its errors, whatever the protocol's version. Empty: in the words of the protocol, unless `report` asks for one form.
  std::string argument_error;
  // Brings other spellings of the arguments (snake_case, a nested object) into the form of the schema, before
  // anything else looks at them. Runs on the I/O thread; may be empty.
  std::function<void(JsonObject&)> normalise;
  // The handler looks at the arguments itself, because what is wrong with them has a form of its own in this tool's answers. The
  // schema is then listed and nothing more, and the handler gets whatever object was sent.
  bool handler_validates = false;
  bool coerce_strings = false;  // "3" -> 3, "true" -> true, before validation
  RunOn run_on = RunOn::pool;
  Tasks tasks = Tasks::never;
  Eras eras = Eras::both;
  // What a caller must be allowed to do. Empty: read for tools whose readOnlyHint says so, else write. Who may not is not shown
  // the tool.
  std::optional<Scope> scope;
  // The same where the arguments decide; it gets them normalised and not yet validated, on the I/O thread. Such a tool is shown
  // to everybody who may read.
  std::function<Scope(const JsonObject&)> scope_of;
  // Whether a call with these arguments starts programs on this machine: refused for who has shown no token. Arguments as above;
  // empty: none does.
  std::function<bool(const JsonObject&)> starts_programs;
  // Of what else this program can do it shows something: each thing that it does by its name ("" when it does one), and the name
  // under which the program knows it ("" when it is the tool's own). For who looks over all that is offered; the protocol is not
  // concerned.
  std::map<std::string, std::string> shows;
  bool listed = true;  // false: known, so that a call can be refused in the tool's own words
  std::function<ToolReply(Call&)> handler;
};

struct Resource {
  std::string uri, name, title, description, mime_type;
};

using Variables = std::map<std::string, std::string, std::less<>>;

struct FixedResource {
  Resource resource;
  std::function<ResourceReply(Call&)> read;
};

struct ResourceTemplate {
  std::string uri_template;  // RFC 6570 level 1: "test://template/{id}/data"
  std::string name, title, description, mime_type;
  // nullopt: no such resource.
  std::function<std::optional<ResourceReply>(Call&, const std::string& uri, const Variables&)> read;
};

struct PromptArgument {
  std::string name, description;
  bool required = false;
};

struct Prompt {
  enum class Eras { both, modern_only };
  std::string name, title, description;
  std::vector<PromptArgument> arguments;
  Eras eras = Eras::both;
  std::function<PromptReply(Call&)> get;
};

struct Completion {
  std::vector<std::string> values;
  std::optional<std::size_t> total;
};

// Completes an argument of a prompt. `context` holds arguments already chosen.
using Completer =
    std::function<Completion(const Caller&, std::string_view argument, std::string_view value, const JsonObject& context)>;

// Fills {variables} of a level-1 template from a URI; nullopt when it does not match.
std::optional<Variables> match_template(std::string_view uri_template, std::string_view uri);

}  // namespace holdfast::mcp
