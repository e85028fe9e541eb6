#include "store/postgres/connection.h"

#include "base/text/text.h"
#include "session/length_prefix.h"
#include "session/store.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace holdfast::store::postgres {

namespace {

void put_int4(std::string& out, std::size_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) out.push_back(static_cast<char>(value >> shift & 0xff));
}

std::string int8_bytes(std::int64_t value) {
  std::string bytes;
  session::put_integer(bytes, value);
  return bytes;
}

// One dimension, no NULLs, counted from 1.
std::string array_head(std::size_t size, std::size_t element_oid) {
  std::string out;
  put_int4(out, size == 0 ? 0 : 1);
  put_int4(out, 0);
  put_int4(out, element_oid);
  if (size == 0) return out;
  put_int4(out, size);
  put_int4(out, 1);
  return out;
}

constexpr std::size_t kTextOid = 25;
constexpr std::size_t kInt8Oid = 20;

// Lists with filters make statements of many forms; the server keeps a plan for each.
constexpr std::size_t kMaxPrepared = 200;

// Statements sent before their answers are read. Without an end both sides could wait for the other to read.
constexpr std::size_t kMaxInFlight = 64;

// Needed: what this code was tested with, and everything it uses.
constexpr int kOldestServer = 140'000;

// A node that stopped in the middle of a transaction (a frozen machine, a cut cable) holds its locks no longer than this.
constexpr int kIdleInTransactionMs = 30'000;

// What a state of PostgreSQL (SQLSTATE) means to us.
struct ServerError {
  Error error;
  Failure failure = Failure::other;
};

constexpr std::string_view kBusyState = "22012";  // division by zero: a lock that was tried and not got (locks.cpp)

// `message` is the primary message, which names columns and limits, never values.
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

// libpq's words about a connection that could not be made.
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

void ignore_notice(void* /*unused*/, const char* /*message*/) {}

}  // namespace

Param::Param(const SqlValue& value) {
  const bool number = value.type == SqlValue::Type::integer;
  if (number) type = Type::int8;
  if (value.type == SqlValue::Type::array) type = Type::text_array;
  if (!value.null) bytes = number ? int8_bytes(value.number) : std::string(value.bytes);
}

Param Param::texts(const std::vector<std::string>& items) {
  std::string out = array_head(items.size(), kTextOid);
  for (const std::string& item : items) {
    put_int4(out, item.size());
    out += item;
  }
  return {Type::text_array, std::move(out)};
}

Param Param::numbers(const std::vector<std::int64_t>& items) {
  std::string out = array_head(items.size(), kInt8Oid);
  for (const std::int64_t item : items) {
    put_int4(out, sizeof(item));
    session::put_integer(out, item);
  }
  return {Type::int8_array, std::move(out)};
}

std::string quoted_name(std::string_view name) {
  std::string out = "\"";
  for (const char c : name) out.append(c == '"' ? 2 : 1, c);
  return out + '"';
}

std::string numbered_marks(std::string_view sql) {
  std::string out;
  int number = 0;
  for (const char c : sql) {
    if (c == '?') {
      out += '$' + std::to_string(++number);
    } else {
      out += c;
    }
  }
  return out;
}

std::int64_t Row::integer(int column) const {
  const std::string_view bytes = text(column);
  if (bytes.size() == sizeof(std::int64_t)) return session::get_integer(bytes);
  if (bytes.size() == 4) {
    std::int32_t value = 0;
    for (const char c : bytes)
      value = static_cast<std::int32_t>(static_cast<std::uint32_t>(value) << 8 | static_cast<unsigned char>(c));
    return value;
  }
  return bytes.size() == 1 ? static_cast<std::int64_t>(bytes[0]) : 0;  // a boolean
}

std::string_view Row::text(int column) const {
  return {pq_->getvalue(result_, row_, column), static_cast<std::size_t>(pq_->getlength(result_, row_, column))};
}

bool Row::is_null(int column) const {
  return pq_->getisnull(result_, row_, column) != 0;
}

std::int64_t Answer::changed() const {
  const std::string_view count = pq_->cmdTuples(result_.get());
  std::int64_t value = 0;
  std::from_chars(count.data(), count.data() + count.size(), value);
  return value;
}

Result<Address> parse_address(std::string_view url) {
  HF_TRY(const Libpq* pq, Libpq::load());
  Address address{std::string(url), {}};
  char* problem = nullptr;
  const std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> parts(pq->conninfoParse(address.url.c_str(), &problem),
                                                                           pq->conninfoFree);
  if (!parts) {
    // What libpq says quotes the address, and with it perhaps the password.
    if (problem != nullptr) pq->freemem(problem);
    return fail(ErrorKind::invalid, "the address of the database cannot be understood",
                "use postgres://USER@HOST:PORT/DATABASE; in a password write % as %25, @ as %40, / as %2F");
  }
  std::string user, host, port, name;
  for (const PQconninfoOption* part = parts.get(); part->keyword != nullptr; ++part) {
    if (part->val == nullptr) continue;
    const std::string_view word = part->keyword;
    if (word == "user") user = fmt::format("{}@", part->val);
    if (word == "host") host = part->val;
    if (word == "port") port = fmt::format(":{}", part->val);
    if (word == "dbname") name = part->val;
  }
  address.shown = fmt::format("postgres://{}{}{}/{}", user, host, port, name);
  return address;
}

Result<std::unique_ptr<Connection>> Connection::open(const SessionSettings& settings) {
  HF_TRY(const Libpq* pq, Libpq::load());
  // What stands before the address is overruled by it: a server that does not answer is given up after a while.
  const std::array<const char*, 9> words = {"connect_timeout",  "keepalives_idle",  "keepalives_interval",
                                            "keepalives_count", "tcp_user_timeout", "fallback_application_name",
                                            "dbname",           "client_encoding",  nullptr};
  const std::array<const char*, 9> values = {"5", "10", "5", "3", "20000", "holdfast", settings.url.c_str(), "UTF8", nullptr};
  PGconn* handle = pq->connectdbParams(words.data(), values.data(), 1);
  if (handle == nullptr) return fail(ErrorKind::internal, "out of memory");
  std::unique_ptr<Connection> connection(new Connection(*pq, handle));
  if (pq->status(handle) != CONNECTION_OK) {
    connection->lost_ = true;
    return fail(connect_error(to_valid_utf8(trim(pq->errorMessage(handle)))));
  }
  HF_CHECK(connection->set_up(settings));
  return connection;
}

Connection::~Connection() = default;

Result<void> Connection::set_up(const SessionSettings& settings) {
  pq_.setNoticeProcessor(handle_.get(), ignore_notice, nullptr);
  if (pq_.serverVersion(handle_.get()) < kOldestServer) {
    return fail(ErrorKind::refused, fmt::format("the server is PostgreSQL {}; 14 is the oldest that serves",
                                                pq_.serverVersion(handle_.get()) / 10'000));
  }
  std::string sql = fmt::format(
      "SET lock_timeout = {}; SET idle_in_transaction_session_timeout = {}; SET statement_timeout = 0; SET jit = off; "
      "SET default_transaction_isolation = 'read committed'; SET standard_conforming_strings = on; "
      // Acknowledged means durable, whatever the server's default is; a stronger setting stays.
      "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') IN ('off', 'local')",
      settings.patience.count(), kIdleInTransactionMs);
  if (!settings.schema.empty()) sql += fmt::format("; SET search_path = {}", quoted_name(settings.schema));
  HF_CHECK(script(sql));
  if (pq_.enterPipelineMode(handle_.get()) != 1) return fail(ErrorKind::internal, "libpq does not pipeline");
  return {};
}

Result<void> Connection::script(const std::string& sql) {
  const Answer answer(pq_, pq_.exec(handle_.get(), sql.c_str()));
  error_.reset();
  note(answer.result());
  if (lost_) return fail(lose());
  if (error_) return fail(*std::exchange(error_, std::nullopt));
  return {};
}

void Connection::begin(std::string_view sql) {
  failure_ = Failure::none;
  queue(sql);
}

std::size_t Connection::queue(Statement statement) {
  line_.push_back(std::move(statement));
  return line_.size() - 1;
}

Error Connection::lose() {
  lost_ = true;
  failure_ = Failure::lost;
  line_.clear();
  return make_error(ErrorKind::unavailable, "the connection to the database was lost",
                    "it is made again by itself; see the server's log if this goes on");
}

bool Connection::send(const Statement& statement) {
  auto found = prepared_.find(statement.sql);
  Expected expected;
  std::vector<Oid> types;
  std::vector<const char*> values;
  std::vector<int> lengths, formats;
  for (const Param& param : statement.values) {
    types.push_back(static_cast<Oid>(param.type));
    values.push_back(param.bytes ? param.bytes->data() : nullptr);
    lengths.push_back(param.bytes ? static_cast<int>(param.bytes->size()) : 0);
    formats.push_back(1);
  }
  const int count = static_cast<int>(types.size());
  if (found == prepared_.end()) {
    const bool keep = prepared_.size() < kMaxPrepared;
    Prepared fresh{keep ? fmt::format("s{}", ++names_) : std::string(), numbered_marks(statement.sql)};
    if (!keep) {
      expected_.push_back({});
      return pq_.sendQueryParams(handle_.get(), fresh.sql.c_str(), count, types.data(), values.data(), lengths.data(),
                                 formats.data(), 1) == 1;
    }
    if (pq_.sendPrepare(handle_.get(), fresh.name.c_str(), fresh.sql.c_str(), count, types.data()) != 1) return false;
    expected_.push_back({true, statement.sql});
    found = prepared_.emplace(statement.sql, std::move(fresh)).first;
  }
  expected_.push_back({});
  return pq_.sendQueryPrepared(handle_.get(), found->second.name.c_str(), count, values.data(), lengths.data(), formats.data(),
                               1) == 1;
}

bool Connection::send_line(std::size_t from, std::size_t to) {
  for (std::size_t i = from; i < to; ++i) {
    if (!send(line_[i])) return false;
  }
  return pq_.pipelineSync(handle_.get()) == 1;
}

void Connection::note(const PGresult* result) {
  if (pq_.status(handle_.get()) == CONNECTION_BAD) lost_ = true;
  const ExecStatusType status = pq_.resultStatus(result);
  if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK || status == PGRES_PIPELINE_SYNC) return;
  if (error_ || status == PGRES_PIPELINE_ABORTED) return;  // the first one is the reason
  const char* state = pq_.resultErrorField(result, PG_DIAG_SQLSTATE);
  const char* message = pq_.resultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
  const ServerError what = server_error(state != nullptr ? state : "", message != nullptr ? message : "");
  error_ = what.error;
  if (failure_ == Failure::none) failure_ = what.failure;
  if (what.failure == Failure::lost) lost_ = true;
}

// Everything of the round that was sent. False: lost.
bool Connection::receive_outstanding() {
  answers_.clear();
  for (const Expected& expected : expected_) {
    PGresult* result = pq_.getResult(handle_.get());
    if (result == nullptr) {
      lost_ = true;
      return false;
    }
    Answer answer(pq_, result);
    note(result);
    const bool failed = pq_.resultStatus(result) != PGRES_COMMAND_OK && pq_.resultStatus(result) != PGRES_TUPLES_OK;
    if (expected.prepares) {
      if (failed) prepared_.erase(expected.sql);
    } else {
      answers_.push_back(std::move(answer));
    }
    while (PGresult* more = pq_.getResult(handle_.get())) {
      const Answer ignored(pq_, more);
      if (pq_.status(handle_.get()) == CONNECTION_BAD) {
        lost_ = true;
        return false;
      }
    }
    if (lost_ && pq_.status(handle_.get()) == CONNECTION_BAD) return false;
  }
  expected_.clear();
  const Answer sync(pq_, pq_.getResult(handle_.get()));
  if (sync.result() == nullptr || pq_.resultStatus(sync.result()) != PGRES_PIPELINE_SYNC) {
    lost_ = true;
    return false;
  }
  return true;
}

Result<std::vector<Answer>> Connection::flush() {
  error_.reset();
  if (lost_) return fail(lose());
  if (std::exchange(unread_, false)) {
    const Failure so_far = failure_;
    if (!receive_outstanding()) return fail(lose());
    failure_ = so_far;
    error_.reset();
  }
  std::vector<Answer> all;
  for (std::size_t from = 0; from < line_.size(); from += kMaxInFlight) {
    expected_.clear();
    if (!send_line(from, std::min(from + kMaxInFlight, line_.size())) || !receive_outstanding()) return fail(lose());
    if (error_) break;
    for (Answer& answer : answers_) all.push_back(std::move(answer));
  }
  answers_.clear();
  line_.clear();
  if (error_) return fail(*std::exchange(error_, std::nullopt));
  return all;
}

Result<Answer> Connection::ask(Statement statement) {
  queue(std::move(statement));
  HF_TRY(auto answers, flush());
  return std::move(answers.back());
}

Result<void> Connection::each(std::string_view sql, const SqlValues& values, const OnRow& on_row) {
  HF_TRY(const Answer rows, ask(sql, {values.begin(), values.end()}));
  for (int i = 0; i < rows.size(); ++i) {
    HF_TRY(const bool wanted, on_row(rows[i]));
    if (!wanted) return {};
  }
  return {};
}

void Connection::send_last(std::string_view sql) {
  line_.clear();
  queue(sql);
  if (lost_ || unread_) {
    static_cast<void>(flush());
    return;
  }
  expected_.clear();
  if (!send_line(0, line_.size())) lost_ = true;
  line_.clear();
  unread_ = true;
}

}  // namespace holdfast::store::postgres
