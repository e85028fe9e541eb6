#pragma once

// The operations of the `session` tool, as a table that kinds add to.
//
// An operation has a name and, when it is written for one kind, that kind. The same name may exist once for
// every kind and again for one: the kind's own wins. So a kind brings `export` along, or a better `get`,
// without this file or the tool knowing it. Filled before serving, read by any thread afterwards.

#include "catalogue/list.h"
#include "mcp/server/call.h"
#include "operations/operation.h"
#include "session/life/retention.h"
#include "session/query/store_view.h"
#include "tools/project_root.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::tools {

class SessionOperations;

// What an operation works with. Lives as long as the call.
struct SessionCall {
  mcp::Call& call;
  session::Store& store;  // as the caller sees it
  const SessionOperations& operations;
  const ProjectRoot& root;
  Millis now;
  operations::Context& context;                  // the same call, as operations of the table see it
  std::optional<session::SessionRecord> record;  // the session `sessionId` names; it belongs to the caller
  std::optional<catalogue::Found> found;         // the same, and where it lies

  const JsonObject& arguments() const { return call.arguments(); }
  const std::string& principal() const { return call.caller().principal; }
};

struct SessionAnswer {
  JsonObject state;
  std::string summary = {};  // a line of prose in front; may be empty
};

struct SessionOperation {
  enum class Session { none, optional, required };  // whether sessionId names what it is about

  std::string name;
  std::string kind;  // empty: every kind that has none of its own
  Session session = Session::required;
  std::function<Result<SessionAnswer>(SessionCall&)> run;
  Scope scope = Scope::write;
  std::string row = {};  // of the table of operations; empty: it is none
};

// Code words of `session` keep the spelling of the kind's contract (design 8.1): threads and research write
// INVALID_STATE_TRANSITION, the others say refused.
Error in_words_of(std::string_view kind, Error error);

class SessionOperations {
 public:
  // The policy says what will happen to a session by itself; items show it.
  explicit SessionOperations(session::RetentionPolicy policy = {}) : policy_(std::move(policy)) {}

  void add(SessionOperation operation);
  // Those of the table, under their last words; their parameters become arguments.
  void add(std::span<const operations::Operation> family);
  void add(const operations::Operation& operation, std::string kind);  // of this kind, too
  // What every kind has.
  void add_core();
  // A property of the tool's input schema; the same name may be declared twice if the schema is the same.
  void add_argument(std::string name, JsonObject schema);

  // A kind whose sessions another program owns and the store does not hold. Its records are made up for the call; operations
  // written for every kind would look for them in the store, so only the kind's own apply.
  void add_outside(std::string kind) { outside_.push_back(std::move(kind)); }
  bool is_outside(std::string_view kind) const;

  // The kind's own, else the general one, else nullptr. An empty kind finds any of that name that can work
  // without a session.
  const SessionOperation* find(std::string_view name, std::string_view kind) const;
  bool knows(std::string_view name) const;
  // What a caller must be allowed to do for it; one that is not known changes things.
  Scope scope_of(std::string_view name) const;
  // Every name and the row that it shows, for every kind; of what is one kind's own "".
  std::map<std::string, std::string> rows() const;
  // In the order they were added; of one kind, or all when it is empty.
  std::vector<std::string> names_for(std::string_view kind) const;
  const JsonObject& arguments() const { return arguments_; }

  // What a list shows of a session.
  JsonObject item(const session::SessionRecord& record, Millis now) const;

  const session::RetentionPolicy& policy() const { return policy_; }

 private:
  session::RetentionPolicy policy_;
  std::vector<SessionOperation> operations_;
  std::vector<std::string> outside_;
  JsonObject arguments_;
};

}  // namespace holdfast::tools
