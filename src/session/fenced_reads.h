#pragma once

// Reading behind a fence, the same for the store and for a transaction: what stands outside does not exist, in the words in which
// what never existed does not. Used by fenced_store.h alone.

#include "session/fence.h"
#include "session/store.h"

#include <set>

namespace holdfast::session {

// As the stores say it.
std::unexpected<Error> no_such_session(std::string_view id);
// Leaves the roots that are inside; false when nothing can fit any more.
bool narrow_to(const Fence& fence, std::vector<std::string>& roots, bool& rootless);
// Those events that are still connected with the session, when no other is known.
std::vector<LineageEvent> connected_with(std::string_view session, std::vector<LineageEvent> events);

// Base: Store or Transaction.
template <class Base>
class FencedReads : public Base {
 public:
  Result<SessionRecord> get(std::string_view id) override {
    auto record = inner().get(id);
    const Fence& around = fence();
    if (around.empty()) return record;
    // Nobody knows in which project a purged one was.
    if (!record && record.error().code == "gone") return no_such_session(id);
    if (record && !is_inside(around, *record)) return no_such_session(id);
    return record;
  }

  Result<Page> list(const Query& query) override {
    if (fence().empty()) return inner().list(query);
    Query narrow = query;
    if (!narrow_to(fence(), narrow.roots, narrow.rootless)) return Page{{}, query.count ? 0 : kNotCounted, {}};
    return inner().list(narrow);
  }

  Result<std::vector<std::string>> ids_with_prefix(const IdQuery& query) override {
    if (fence().empty()) return inner().ids_with_prefix(query);
    IdQuery narrow = query;
    bool rootless = false;
    if (!narrow_to(fence(), narrow.roots, rootless)) return std::vector<std::string>{};
    return inner().ids_with_prefix(narrow);
  }

  Result<std::optional<Tombstone>> tombstone(std::string_view id) override {
    if (fence().empty()) return inner().tombstone(id);
    return std::nullopt;
  }

  Result<EntryPage> entries(const EntryQuery& query) override {
    HF_CHECK(need(query.session));
    return inner().entries(query);
  }
  Result<std::optional<Entry>> entry(std::string_view session, std::int64_t seq) override {
    HF_CHECK(need(session));
    return inner().entry(session, seq);
  }
  Result<std::optional<Entry>> entry_at(std::string_view session, std::string_view lane, std::int64_t number) override {
    HF_CHECK(need(session));
    return inner().entry_at(session, lane, number);
  }
  Result<std::optional<Entry>> entry_with_key(std::string_view session, std::string_view idempotency_key) override {
    HF_CHECK(need(session));
    return inner().entry_with_key(session, idempotency_key);
  }

  Result<std::vector<LineageEvent>> lineage_of(std::string_view session) override {
    HF_TRY(auto events, inner().lineage_of(session));
    return inside(std::move(events));
  }
  Result<std::vector<LineageEvent>> lineage_tree(std::string_view session) override {
    HF_TRY(auto events, inner().lineage_tree(session));
    if (fence().empty()) return events;
    return connected_with(session, inside(std::move(events)));
  }

  Result<std::optional<KeyedValue>> value(std::string_view space, std::string_view key) override {
    return inner().value(space, key);
  }
  Result<std::vector<KeyedValue>> values(const ValueQuery& query) override { return inner().values(query); }
  Result<std::optional<Lease>> lease(std::string_view name) override { return inner().lease(name); }

 protected:
  virtual Reader& inner() = 0;
  virtual const Fence& fence() const = 0;

  // not_found unless there is no fence or the session stands inside.
  Result<void> need(std::string_view id) {
    if (fence().empty()) return {};
    HF_CHECK(get(id));
    return {};
  }

  // Ids that the store does not know (another machine's, purged ones) say nothing about a project.
  bool is_outside(const std::string& id) {
    if (id.empty()) return false;
    const auto record = inner().get(id);
    return record && !is_inside(fence(), *record);
  }

 private:
  std::vector<LineageEvent> inside(std::vector<LineageEvent> events) {
    if (!fence().empty())
      std::erase_if(events, [this](const LineageEvent& event) { return is_outside(event.child) || is_outside(event.parent); });
    return events;
  }
};

}  // namespace holdfast::session
