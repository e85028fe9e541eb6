#include "store/postgres/server_error.h"

#include "session/store.h"

#include <fmt/format.h>

namespace holdfast::store::postgres {

namespace {

constexpr std::string_view kBusyState = "22012";  // division by zero: a lock that was tried and not got (locks.cpp)

}  // namespace

ServerError server_error(std::string_view state, std::string_view message) {
  const auto say = [&](ErrorKind kind, std::string_view what, std::string hint = {}) {
    return make_error(kind, fmt::format("{}: {} ({})", what, message, state), std::move(hint));
  };
  const auto disk = [&](ErrorKind kind, std::string_view what, std::string hint) {
    Error error = say(kind, what, std::move(hint));
    error.code = session::kStorageFailed;
    return ServerError{std::move(error), Failure::other};
  };
  const std::string_view category = state.substr(0, 2);
  // Without a state the words are libpq's own: the server is not there.
  if (state.empty() || category == "08" || state == "57P01" || state == "57P02" || state == "57P03" || state == "57P05" ||
      state == "25P03") {
    return {make_error(ErrorKind::unavailable, "the connection to the database was lost",
                       "it is made again by itself; see the server's log if this goes on"),
            Failure::lost};
  }
  // Two at once for the same new row (23505) is a conflict, too: whoever comes second sees the first one next time.
  if (state == "40001" || state == "40P01" || state == "23505") {
    return {say(ErrorKind::unavailable, "others were writing the same"), Failure::conflict};
  }
  if (state == kBusyState) return {say(ErrorKind::unavailable, "others are writing the same"), Failure::busy};
  if (state == "55P03" || state == "57014") {
    return {say(ErrorKind::unavailable, "the store is locked by others for too long",
                "look for a transaction that does not end: SELECT * FROM pg_stat_activity WHERE state LIKE 'idle in%'"),
            Failure::other};
  }
  if (state == "25006") {
    return disk(ErrorKind::refused, "the database can only be read", "is this the address of a standby?");
  }
  if (state == "42501") {
    return {say(ErrorKind::refused, "the database user may not do that", "docs/postgres.md says what it needs"), Failure::other};
  }
  if (state == "53100") return disk(ErrorKind::io, "the database's disk is full", "free space there");
  if (category == "53" || category == "57") return {say(ErrorKind::unavailable, "the database has no room"), Failure::other};
  if (category == "58") return disk(ErrorKind::io, "the database cannot use its files", "its own log says which");
  if (category == "XX" && state != "XX000") {
    return {say(ErrorKind::corrupt, "the database is damaged", "restore it from a backup (docs/postgres.md)"), Failure::other};
  }
  return {say(ErrorKind::internal, "the database refused a statement"), Failure::other};
}

Error connect_error(std::string message) {
  for (char& c : message) {
    if (c == '\n') c = ' ';
  }
  if (message.contains("password") || message.contains("authentication") || message.contains("no pg_hba.conf entry")) {
    return make_error(ErrorKind::unauthorised, "the database did not let us in: " + message,
                      "check user and password; a password may stand in ~/.pgpass or PGPASSWORD");
  }
  if (message.contains("does not exist")) {
    return make_error(ErrorKind::not_found, "there is no such database: " + message, "make it first: createdb -E UTF8 NAME");
  }
  return make_error(ErrorKind::unavailable, "the database cannot be reached: " + message,
                    "is the server running, and is the address right?");
}

}  // namespace holdfast::store::postgres
