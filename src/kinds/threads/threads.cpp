#include "kinds/threads/threads.h"

#include "base/text/text.h"
#include "kinds/threads/flows/flows.h"
#include "kinds/threads/flows/violations.h"
#include "session/store.h"

#include <fmt/format.h>

#include <array>

namespace holdfast::threads {
namespace {

using session::SessionRecord;
using session::Transaction;

constexpr std::array<std::string_view, 4> kThreadKinds = {"chat", "thinkdeep", "ideate", "consensus"};
constexpr std::array<std::string_view, 3> kRoles = {"user", "assistant", "system"};

// The contract's word for what the store says in its own.
std::string_view code_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::invalid:
    case ErrorKind::too_large:
      return "VALIDATION_ERROR";
    case ErrorKind::not_found:
      return "NOT_FOUND";
    case ErrorKind::conflict:
    case ErrorKind::unavailable:
    case ErrorKind::timeout:
      return "STORAGE_BUSY";
    case ErrorKind::corrupt:
      return "STORAGE_CORRUPT";
    case ErrorKind::refused:
      return "REFUSED";
    case ErrorKind::cancelled:
      return "cancelled";
    default:
      return "INTERNAL_ERROR";
  }
}

template <class T>
Result<T> coded(Result<T> result) {
  if (!result && result.error().code.empty()) result.error().code = code_of(result.error().kind);
  return result;
}

template <class Outcome>
Result<Outcome> coded_outcome(Result<Outcome> result) {
  if (result && result->failure && result->failure->code.empty()) result->failure->code = code_of(result->failure->kind);
  return coded(std::move(result));
}

class StoredThreads final : public Threads {
 public:
  StoredThreads(session::Store& store, model::Models& models, std::chrono::milliseconds patience)
      : store_(store), models_(models), patience_(patience) {}

  Result<SessionRecord> create(const Who& who, const NewThread& thread) override {
    Violations violations;
    violations.one_of("kind", thread.kind, kThreadKinds);
    violations.text("title", thread.title, kMaxTitleCharacters);
    violations.text("system_prompt", thread.system_prompt, kMaxPromptCharacters);
    violations.provider(models_, thread.provider);
    HF_CHECK(violations.result());
    return coded(store_.write([&](Transaction& transaction) { return make_thread(transaction, who, thread); }));
  }

  Result<Added> append(const Who& who, std::string_view thread_id, std::string_view role, std::string_view content,
                       std::string_view client_msg_id) override {
    Violations violations;
    violations.one_of("role", role, kRoles);
    violations.required("content", content);
    violations.text("content", content, kMaxPromptCharacters);
    violations.client_id(client_msg_id);
    HF_CHECK(violations.result());
    Incoming incoming;
    incoming.role = role;
    incoming.content = content;
    incoming.client_msg_id = client_msg_id;
    return coded(store_.write([&](Transaction& transaction) -> Result<Added> {
      HF_TRY(auto record, find_thread(transaction, who, thread_id));
      HF_TRY(Kept kept, keep_message(transaction, std::move(record), incoming));
      return Added{std::move(kept.message), std::move(kept.record), kept.unarchived, kept.replayed};
    }));
  }

  Result<MessagePage> get(const Who& who, std::string_view thread_id, std::size_t limit,
                          std::optional<std::int64_t> before_seq) override {
    return coded(page(who, thread_id, limit, before_seq));
  }

  Result<SessionRecord> fork(const Who& who, std::string_view thread_id, std::int64_t seq) override {
    return coded(store_.write([&](Transaction& transaction) { return fork_thread(transaction, who, thread_id, seq); }));
  }

  Result<ChatOutcome> chat(const Who& who, const ChatRequest& request) override {
    return coded_outcome(threads::chat({store_, models_, patience_, who}, request));
  }
  Result<StepOutcome> thinkdeep(const Who& who, const ThinkdeepRequest& request) override {
    return coded_outcome(threads::thinkdeep({store_, models_, patience_, who}, request));
  }
  Result<StepOutcome> ideate(const Who& who, const IdeateRequest& request) override {
    return coded_outcome(threads::ideate({store_, models_, patience_, who}, request));
  }
  Result<StepOutcome> consensus(const Who& who, const ConsensusRequest& request) override {
    return coded_outcome(threads::consensus({store_, models_, patience_, who}, request));
  }

 private:
  Result<MessagePage> page(const Who& who, std::string_view thread_id, std::size_t limit,
                           std::optional<std::int64_t> before_seq) {
    if (before_seq && *before_seq < 1)
      return fail(ErrorKind::invalid, fmt::format("before_seq must be at least 1, not {}", *before_seq), {}, "VALIDATION_ERROR");
    MessagePage page;
    HF_TRY(page.record, find_thread(store_, who, thread_id));
    const std::int64_t highest = page.record.highest_number("");
    const std::int64_t last = before_seq ? std::min(*before_seq - 1, highest) : highest;
    std::vector<session::Entry> entries;
    if (last >= 1) {
      HF_TRY(entries, last_messages(store_, thread_id, limit, last));
    }
    if (!entries.empty() && entries.front().number > 1) page.before_seq = entries.front().number;
    HF_CHECK(add_notices(store_, thread_id, last == highest, entries));
    for (const session::Entry& entry : entries) page.messages.push_back(to_message(entry));
    return page;
  }

  session::Store& store_;
  model::Models& models_;
  const std::chrono::milliseconds patience_;
};

}  // namespace

std::unique_ptr<Threads> Threads::make(session::Store& store, model::Models& models, std::chrono::milliseconds patience) {
  return std::make_unique<StoredThreads>(store, models, patience);
}

}  // namespace holdfast::threads
