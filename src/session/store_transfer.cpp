#include "session/store_transfer.h"

#include <fmt/format.h>

namespace holdfast::session {

// Neither has a line break: fingerprints are words and numbers.
std::string import_mark(std::string_view fingerprint, std::string_view place) {
  return fmt::format("{}\n{}", fingerprint, place);
}

std::string_view fingerprint_of_import(std::string_view mark) {
  return mark.substr(0, mark.find('\n'));
}

Result<std::string> place_of_import(std::string_view mark, std::string_view fingerprint) {
  if (fingerprint_of_import(mark) != fingerprint) {
    return fail(ErrorKind::conflict, "the target is being filled from another store, or the source has changed since that began",
                "begin again with an empty target");
  }
  return std::string(mark.substr(std::min(mark.size(), fingerprint.size() + 1)));
}

Result<void> refuse_filled(const StoreTransfer::Totals& target) {
  if (target.items() == 0) return {};
  return fail(ErrorKind::conflict,
              fmt::format("the target is not empty: it has {} sessions, {} entries and {} values", target.sessions,
                          target.entries, target.values),
              "name an empty one; a copy never mixes two stores");
}

Result<void> refuse_damaged(const SessionRecord& record) {
  if (!record.damage) return {};
  return fail(ErrorKind::corrupt, fmt::format("session {} is damaged: {}", record.id, *record.damage),
              "a copy would hide that; purge it or restore it from a backup first");
}

Result<StoreTransfer::Totals> copy_store(StoreTransfer& from, StoreTransfer& to,
                                         const std::function<void(const CopyProgress&)>& progress) {
  HF_TRY(const std::string fingerprint, from.fingerprint());
  HF_TRY(const StoreTransfer::Totals totals, from.totals());
  HF_TRY(std::string place, to.begin_import(fingerprint));
  HF_TRY(const StoreTransfer::Totals before, to.totals());
  CopyProgress state{before.items(), totals.items()};
  // The last kind has come to its end when a parcel of it is empty; then `next` is, too.
  while (true) {
    if (progress) progress(state);
    HF_TRY(const Parcel parcel, from.read_parcel(place));
    if (parcel.items() > 0) HF_CHECK(to.write_parcel(parcel));
    state.done += static_cast<std::int64_t>(parcel.items());
    if (parcel.next.empty()) break;
    place = parcel.next;
  }
  HF_TRY(const std::string afterwards, from.fingerprint());
  if (afterwards != fingerprint) {
    return fail(ErrorKind::conflict, "the source was written to while it was copied",
                "stop whoever uses it, and begin again with an empty target");
  }
  HF_TRY(const StoreTransfer::Totals arrived, to.totals());
  if (arrived != totals) return fail(ErrorKind::internal, "the target has not as much as the source");
  HF_TRY(const std::string secret, from.secret());
  HF_CHECK(to.finish_import(secret));
  return totals;
}

}  // namespace holdfast::session
