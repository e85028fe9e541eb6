#pragma once

// The actions of the tool `research` as a table: name, arguments, function. Each family is in a file of its own.

#include "base/schema/schema.h"
#include "tools/research/research_tool.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::tools {

// Lives as long as the call.
struct ResearchCall {
  mcp::Call& call;
  const ResearchRoom& room;
  Millis now;

  const JsonObject& arguments() const { return call.arguments(); }
  const std::string& principal() const { return call.caller().principal; }
  std::string text(std::string_view name) const { return std::string(find_string(arguments(), name).value_or("")); }
  bool flag(std::string_view name, bool fallback) const { return find_bool(arguments(), name).value_or(fallback); }
};

struct ResearchAnswer {
  JsonObject data;
  std::vector<std::string> warnings;
  // The call failed, yet left something behind: `data` becomes the details of the error.
  std::optional<Error> failure;
  bool input_required = false;
};

struct ResearchAction {
  std::string name;
  std::vector<std::string> required, optional;  // names of argument_schemas()
  std::function<Result<ResearchAnswer>(ResearchCall&)> run;
  std::string row = {};  // of the table of operations; empty: it is none
};

std::vector<ResearchAction> thread_actions();  // thread-create, -append, -list, -get; chat thinkdeep ideate consensus
std::vector<ResearchAction> run_actions();     // deep-research, -status, -report, -list, -cancel
std::vector<ResearchAction> care_actions();    // …-archive, -unarchive, -delete, -restore, pin unpin redact purge cleanup

// Every argument of every action, once.
JsonObject argument_schemas();

// The session that an argument names: of this kind (empty: thread or research) and this caller. Errors: NOT_FOUND, DELETED (only
// when it must not be), GONE, STORAGE_CORRUPT.
enum class Deleted { refuse, allow };
Result<session::SessionRecord> named_session(ResearchCall& call, std::string_view argument, std::string_view kind,
                                             Deleted deleted);
// The same for an id out of a list.
Result<session::SessionRecord> session_of(ResearchCall& call, const std::string& id, std::string_view kind, Deleted deleted);

// Where what the call makes belongs; nullopt: the client was asked for its roots.
struct Place {
  std::string root_uri, root_name, client;
};
Result<std::optional<Place>> place_of(ResearchCall& call);

// {<member>[], count, total, next_cursor?} of a query for this caller.
Result<ResearchAnswer> list_of(ResearchCall& call, session::Query query, std::string_view member);

}  // namespace holdfast::tools
