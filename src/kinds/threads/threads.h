#pragma once

// Threads: what can be done with a conversation (threads-and-research §3, §9).
//
// A user's message is durable before a model is asked. When the model fails, the outcome says what was kept (thread, message) and
// `failure` says why; the call itself is only an Error when nothing was kept. Calls that ask a model on one thread take turns by
// a lease `thread/<id>`: up to kLeasePatience, then unavailable with code STORAGE_BUSY.
//
// How a thread is kept: record.kind "thread"; record.aspect is its own kind (chat, thinkdeep, ideate, consensus); status created,
// active; data {system_prompt, provider, metadata, and the state of thinkdeep or ideate}. Messages are entries of type "message"
// in the main lane with number 1, 2, 3, …; data {id, role, provider, model, tokens, client_msg_id}; idempotency key
// "client:<digest of client_msg_id>". A message moves an archived thread back to live (row 5). Other entries (type "notice",
// "step") are not messages, are never sent to a model and never counted.
//
// Thread-safe; blocks. Error codes are those of threads-and-research §1.

#include "model/models.h"
#include "session/store.h"

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::threads {

inline constexpr std::chrono::seconds kLeasePatience{10};
inline constexpr std::size_t kMaxPromptCharacters = 200'000;
inline constexpr std::size_t kMaxTitleCharacters = 200;
inline constexpr std::size_t kContextMessages = 100;

// Whose thread, where it belongs, and when to give up; the same for every call.
struct Who {
  std::string principal = "local";
  std::string client;
  std::string root_uri, root_name, project;
  std::function<bool()> cancelled;  // may be empty; consensus asks it from several threads at once
};

struct Message {
  std::string id;
  std::int64_t seq = 0;
  std::string role;
  std::string content;
  Millis created_at = 0;
  std::string provider, model;
  model::Tokens tokens;
  std::string client_msg_id;
  bool redacted = false;
  std::optional<std::string> damage;  // it does not fit its hash: nobody knows that this was said
};

struct NewThread {
  std::string kind = "chat";
  std::string title, system_prompt, provider;
  JsonObject metadata;
};

struct ChatRequest {
  std::string prompt;
  std::string thread_id;  // empty: a new thread
  // Title and system prompt are those of a new thread; on an existing one the prompt serves this call alone, the title is
  // ignored.
  std::string title, system_prompt, provider, model, client_msg_id;
  std::optional<double> temperature;
  std::optional<std::int64_t> max_tokens;
  std::function<void(std::string_view)> on_text;  // the answer as it comes
};

struct ChatOutcome {
  std::string thread_id;
  std::string message_id;  // the answer's; the user's message when there is no answer
  std::string user_message_id;
  std::int64_t message_count = 0;
  std::string content, provider, model;
  model::Tokens tokens;
  bool created = false, unarchived = false;
  bool replayed = false;         // client_msg_id was known; with an answer already there, it is given again
  std::optional<Error> failure;  // of the model; everything above that exists is kept
  std::vector<std::string> warnings;
};

struct ThinkdeepRequest {
  std::string topic, thread_id, query, provider;
  std::optional<std::int64_t> max_depth;
};
struct IdeateRequest {
  std::string topic, thread_id, action = "generate", provider;  // generate cluster score select elaborate status
  std::vector<std::string> perspectives, criteria, ids;         // ids: of ideas or clusters, as the action takes them
  std::optional<std::int64_t> count;
};
struct ConsensusRequest {
  std::string prompt, thread_id, title, system_prompt, strategy = "synthesize";
  std::vector<std::string> providers;  // empty: all
  std::int64_t min_responses = 1;
  bool require_all = false;
  std::int64_t timeout_per_provider_s = 360;
  std::int64_t max_concurrent = 3;
};

// What thinkdeep, ideate and consensus answer: the members of the contract, ready to be shown.
struct StepOutcome {
  std::string thread_id;
  JsonObject data;
  std::optional<Error> failure;
  std::vector<std::string> warnings;
};

struct MessagePage {
  session::SessionRecord record;
  std::vector<Message> messages;  // oldest first within the page, with the notices that came between them (seq 0, role system)
  std::optional<std::int64_t> before_seq;  // for the page before it; absent: these are the oldest
};

class Threads {
 public:
  virtual ~Threads() = default;
  // Both outlive it. `patience` is for tests.
  static std::unique_ptr<Threads> make(session::Store& store, model::Models& models,
                                       std::chrono::milliseconds patience = kLeasePatience);

  virtual Result<session::SessionRecord> create(const Who& who, const NewThread& thread) = 0;
  struct Added {
    Message message;
    session::SessionRecord record;
    bool unarchived = false, replayed = false;
  };
  virtual Result<Added> append(const Who& who, std::string_view thread_id, std::string_view role, std::string_view content,
                               std::string_view client_msg_id) = 0;
  virtual Result<MessagePage> get(const Who& who, std::string_view thread_id, std::size_t limit,
                                  std::optional<std::int64_t> before_seq) = 0;
  // A new thread with the messages up to and including `seq`; lineage "fork".
  virtual Result<session::SessionRecord> fork(const Who& who, std::string_view thread_id, std::int64_t seq) = 0;

  virtual Result<ChatOutcome> chat(const Who& who, const ChatRequest& request) = 0;
  virtual Result<StepOutcome> thinkdeep(const Who& who, const ThinkdeepRequest& request) = 0;
  virtual Result<StepOutcome> ideate(const Who& who, const IdeateRequest& request) = 0;
  virtual Result<StepOutcome> consensus(const Who& who, const ConsensusRequest& request) = 0;
};

// A message and a thread as results show them (§3).
JsonObject message_json(const Message& message);
JsonObject thread_json(const session::SessionRecord& record);
// Markdown for a person (`session export`).
Result<std::string> export_markdown(session::Reader& reader, const session::SessionRecord& record);

}  // namespace holdfast::threads
