#include "base/text/text.h"
#include "kinds/threads/flows/flows.h"
#include "kinds/threads/record.h"
#include "session/limits.h"
#include "session/query/display.h"

#include <fmt/format.h>

namespace holdfast::threads {

using session::SessionRecord;
using session::Transaction;

namespace {

constexpr std::string_view kMark = " (fork)";

Incoming copy_of(const session::Entry& entry) {
  const Message message = to_message(entry);
  Incoming incoming;
  incoming.role = message.role;
  incoming.content = message.content;
  incoming.provider = message.provider;
  incoming.model = message.model;
  incoming.tokens = message.tokens;
  return incoming;
}

Result<void> copy_messages(Transaction& transaction, std::string_view from, std::string_view to, std::int64_t last) {
  session::EntryQuery query;
  query.session = from;
  query.types = {std::string(kMessageEntry)};
  query.limit = session::kMaxEntryLimit;
  for (std::optional<std::int64_t> next = 1; next;) {
    query.from = *next;
    HF_TRY(const session::EntryPage page, transaction.entries(query));
    for (const session::Entry& entry : page.entries) {
      if (entry.number > last) return {};
      if (entry.damage)  // a copy would make it look genuine
        return fail(ErrorKind::corrupt, fmt::format("message {} of thread {} is damaged: {}", entry.number, from, *entry.damage),
                    "fork it up to the message before", "STORAGE_CORRUPT");
      session::NewEntry copy = to_entry(copy_of(entry), new_message_id(), entry.number, {});
      copy.time = entry.time;
      HF_CHECK(transaction.append(to, std::move(copy)));
    }
    next = page.next;
  }
  return {};
}

}  // namespace

Result<SessionRecord> fork_thread(Transaction& transaction, const Who& who, std::string_view thread_id, std::int64_t seq) {
  HF_TRY(const SessionRecord parent, find_thread(transaction, who, thread_id));
  if (seq < 1 || seq > parent.highest_number(""))
    return fail(ErrorKind::invalid, fmt::format("thread {} has no message {}", thread_id, seq),
                fmt::format("its messages are 1 to {}", parent.highest_number("")), "VALIDATION_ERROR");
  NewThread thread;
  thread.title = shorten(session::shown_title(parent), kMaxTitleCharacters - kMark.size() - 1) + std::string(kMark);
  thread.system_prompt = setting_of(parent, "system_prompt");
  thread.provider = setting_of(parent, "provider");
  if (const JsonObject* metadata = find_object(parent.data, "metadata")) thread.metadata = *metadata;
  HF_TRY(SessionRecord child, make_thread(transaction, who, thread));
  child.opening = parent.opening;
  if (parent.status != "created") child.status = "active";
  if (child.root_uri.empty()) child.root_uri = parent.root_uri, child.root_name = parent.root_name;
  if (child.project.empty()) child.project = parent.project;
  HF_TRY(child, transaction.update(std::move(child)));
  HF_CHECK(copy_messages(transaction, parent.id, child.id, seq));
  session::LineageEvent event;
  event.child = child.id;
  event.parent = parent.id;
  event.how = "fork";
  event.details["seq"] = seq;
  HF_CHECK(transaction.add_lineage(std::move(event)));
  return transaction.get(child.id);
}

}  // namespace holdfast::threads
