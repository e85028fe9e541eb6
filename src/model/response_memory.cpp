#include "model/response_memory.h"

#include "base/crypto/hash.h"

namespace holdfast::model {
namespace {

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
  // Not behind the last message: there must be something to say.
  for (std::size_t at = 0; at + 1 < ask.messages.size(); ++at) {
    add_to(hash, ask.messages[at]);
    if (ask.messages[at].role != "assistant") continue;
    if (auto known = ids_.find(memory_key(hash))) found = Continuation{*std::move(known), at + 1};
  }
  return found;
}

void ResponseMemory::remember(const Ask& ask, std::string_view model, const Reply& reply, std::string response_id) {
  if (response_id.empty()) return;
  Sha256 hash;
  hash.add(model);
  for (const Message& message : ask.messages) add_to(hash, message);
  add_to(hash, reply.message);
  ids_.put(memory_key(hash), std::move(response_id));
}

}  // namespace holdfast::model
