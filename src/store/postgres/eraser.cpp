#include "store/postgres/eraser.h"

#include "base/crypto/hash.h"
#include "base/run/log.h"

#include <fmt/format.h>

#include <span>

namespace holdfast::store::postgres {

namespace {

constexpr std::string_view kErasedMark = "scrub ";

}  // namespace

std::string Eraser::queue_mark(Connection& connection, std::string_view id) {
  std::string mark = fmt::format("{}{}", kErasedMark, to_base64url(id));
  connection.queue("INSERT INTO meta VALUES(?, '')", {mark});
  return mark;
}

void Eraser::erase(const std::string& mark) {
  const std::uint64_t ticket = ++asked_;
  const std::lock_guard lock(mutex_);
  if (done_ < ticket) {
    const std::uint64_t covers = asked_;
    if (auto cleaned = vacuum(); !cleaned) {
      log(LogLevel::warn, "store", "erased text is still in the database's files: " + cleaned.error().message);
      return;
    }
    done_ = covers;
  }
  static_cast<void>(
      pool_.with([&](Connection& connection) { return connection.ask("DELETE FROM meta WHERE name = ?", {mark}); }));
}

Result<void> Eraser::vacuum() {
  return pool_.with([](Connection& connection) -> Result<void> {
    for (const std::string_view table : {"entries", "session_texts", "sessions", "roots", "tags", "tallies", "keyed"}) {
      HF_CHECK(connection.ask(fmt::format("VACUUM (INDEX_CLEANUP ON) {}", table)));
    }
    return {};
  });
}

void Eraser::finish_old() {
  const auto marks = pool_.with([](Connection& connection) {
    return connection.ask("SELECT name FROM meta WHERE substring(name FROM 1 FOR 6) = 'scrub '");
  });
  if (!marks) return;
  for (int i = 0; i < marks->size(); ++i) erase(std::string((*marks)[i].text(0)));
}

}  // namespace holdfast::store::postgres
