#include "model/response_memory.h"

#include "base/crypto/hash.h"

namespace holdfast::model {
namespace {

// Conversations under way at once, with room for those that are branched; a forgotten one only costs sending it whole.
constexpr std::size_t kRemembered = 1024;

void add_to(Sha256& hash, const Message& message) {
  hash.add(to_json(to_json_object(message)));
  hash.add("\n");
}

std::string memory_key(const Sha256& hash) {
  const Digest digest = hash.digest();
  return std::string(bytes_of(digest));
}

}  // namespace

std::optional<Continuation> ResponseMemory::find(const Ask& ask, std::string_view model) {
  Sha256 hash;
  hash.add(model);
  std::optional<Continuation> found;
  const std::lock_guard lock(mutex_);
  // Not behind the last message: there must be something to say.
  for (std::size_t at = 0; at + 1 < ask.messages.size(); ++at) {
    add_to(hash, ask.messages[at]);
    if (ask.messages[at].role != "assistant") continue;
    if (const auto known = ids_.find(memory_key(hash)); known != ids_.end()) found = Continuation{known->second, at + 1};
  }
  return found;
}

void ResponseMemory::remember(const Ask& ask, std::string_view model, const Reply& reply, std::string response_id) {
  if (response_id.empty()) return;
  Sha256 hash;
  hash.add(model);
  for (const Message& message : ask.messages) add_to(hash, message);
  add_to(hash, reply.message);
  std::string key = memory_key(hash);
  const std::lock_guard lock(mutex_);
  if (ids_.insert_or_assign(key, std::move(response_id)).second) age_.push_back(std::move(key));
  if (age_.size() <= kRemembered) return;
  ids_.erase(age_.front());
  age_.pop_front();
}

}  // namespace holdfast::model
