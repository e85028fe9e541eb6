#pragma once

// One connection to PostgreSQL, in pipeline mode: statements are put in line and sent together, so that a round trip carries
// as many as belong together.
//
//   connection.queue("UPDATE t SET a = ? WHERE b = ?", {1, "x"});
//   HF_TRY(auto rows, connection.ask("SELECT a FROM t WHERE b = ?", {"x"}));
//   for (int i = 0; i < rows.size(); ++i) use(rows[i].integer(0));
//
// Used by one thread at a time. Statements are prepared once per connection. When one fails, those behind it are skipped and
// the first error is answered; failure() says what kind it was, for whoever may try again. A transaction in which something
// failed can only be rolled back. PostgreSQL's states become Errors
// here and nowhere else, without details that could quote what was bound.

#include "base/result.h"
#include "store/postgres/libpq.h"
#include "store/tables/sql.h"

#include <chrono>
#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace holdfast::store::postgres {

// A statement and what is bound to its marks, in PostgreSQL's binary format.
//
// Strings are kept as bytea throughout: text of the database could hold no zero byte and would be sorted and compared by rules
// that differ from machine to machine. Integers are int8.
enum class Type : unsigned { bytea = 17, int8 = 20, text = 25, text_array = 1009, int8_array = 1016 };  // the oids

struct Param {
  Type type = Type::bytea;
  std::optional<std::string> bytes;  // nullopt: NULL

  Param(const SqlValue& value);  // NOLINT(google-explicit-constructor): a list of values reads like one
  template <class T>
    requires std::constructible_from<SqlValue, const T&>
  Param(const T& value) : Param(SqlValue(value)) {}  // NOLINT(google-explicit-constructor)
  // text and text[]: must be valid UTF-8 without a zero byte.
  static Param text(std::string value) { return {Type::text, std::move(value)}; }
  static Param texts(const std::vector<std::string>& items);
  static Param numbers(const std::vector<std::int64_t>& items);

 private:
  Param(Type which, std::optional<std::string> what) : type(which), bytes(std::move(what)) {}
};

struct Statement {
  std::string sql;  // with a '?' for each value
  std::vector<Param> values;
};

// As a name in SQL.
std::string quoted_name(std::string_view name);

// The same with $1, $2, ...
std::string numbered_marks(std::string_view sql);

class Row final : public Columns {
 public:
  Row(const Libpq& pq, const PGresult* result, int row) : pq_(&pq), result_(result), row_(row) {}
  std::int64_t integer(int column) const override;
  std::string_view text(int column) const override;
  bool is_null(int column) const override;

 private:
  const Libpq* pq_;
  const PGresult* result_;
  int row_;
};

// What a statement gave. Rows live as long as it does.
class Answer {
 public:
  Answer(const Libpq& pq, PGresult* result) : pq_(&pq), result_(result, pq.clear) {}
  int size() const { return pq_->ntuples(result_.get()); }
  bool empty() const { return size() == 0; }
  Row operator[](int row) const { return {*pq_, result_.get(), row}; }
  const PGresult* result() const { return result_.get(); }
  std::int64_t changed() const;  // rows, by a statement that changes some

 private:
  const Libpq* pq_;
  std::unique_ptr<PGresult, decltype(&PQclear)> result_;
};

enum class Failure {
  none,
  lost,      // the connection is gone; whether the last statements were done is not known
  conflict,  // others were in the way: nothing happened, the same again may succeed
  busy,      // a lock that was tried is held by somebody else
  other
};

// The address of a database: "postgres://user:password@host:port/name?sslmode=require", with everything libpq understands in
// it. The password may also come from PGPASSWORD or ~/.pgpass; no message and no log ever has it.
struct Address {
  std::string url;    // as given; secret
  std::string shown;  // for people: user, host, port and database
};

// invalid when libpq does not understand it.
Result<Address> parse_address(std::string_view url);

// Of a session on the server. `patience` is how long a statement waits for a lock.
struct SessionSettings {
  std::string url;
  std::string schema;  // empty: what the server and the address say
  std::chrono::milliseconds patience{10'000};
};

class Connection final : public Sql {
 public:
  // unavailable, unauthorised, refused (a server that is too old).
  static Result<std::unique_ptr<Connection>> open(const SessionSettings& settings);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Returns its place among the answers of the next flush().
  std::size_t queue(Statement statement);
  std::size_t queue(std::string_view sql, std::vector<Param> values = {}) { return queue({std::string(sql), std::move(values)}); }
  std::size_t queue(const SqlStatement& statement) {
    return queue(statement.sql, {statement.values.begin(), statement.values.end()});
  }
  // The same for BEGIN.
  void begin(std::string_view sql = "BEGIN");
  // Sends what is in line and waits for all answers.
  Result<std::vector<Answer>> flush();
  // Puts it in line, flushes, and gives its answer.
  Result<Answer> ask(Statement statement);
  Result<Answer> ask(std::string_view sql, std::vector<Param> values = {}) { return ask({std::string(sql), std::move(values)}); }
  Result<void> each(std::string_view sql, const SqlValues& values, const OnRow& on_row) override;
  Result<void> change(std::string_view sql, const SqlValues& values) override {  // waits in line
    queue(SqlStatement{std::string(sql), values});
    return {};
  }
  // Sends it in place of what is still in line, and leaves the answer for the next flush, which does not look at it. (Behind a
  // statement that fails the server skips the rest of a round: a ROLLBACK goes alone.)
  void send_last(std::string_view sql);

  // Several statements at once, nothing bound; outside of any pipeline, for setting things up.
  Result<void> script(const std::string& sql);

  Failure failure() const { return failure_; }  // the first one since begin()
  bool lost() const { return lost_; }
  PGconn* handle() { return handle_.get(); }
  const Libpq& library() const { return pq_; }

 private:
  struct Prepared {
    std::string name;
    std::string sql;
  };
  Connection(const Libpq& pq, PGconn* handle) : pq_(pq), handle_(handle, pq.finish) {}

  Result<void> set_up(const SessionSettings& settings);
  bool send(const Statement& statement);  // false: lost
  bool send_line(std::size_t from, std::size_t to);
  bool receive_outstanding();
  void note(const PGresult* result);
  Error lose();

  const Libpq& pq_;
  std::unique_ptr<PGconn, decltype(&PQfinish)> handle_;
  std::unordered_map<std::string, Prepared> prepared_;
  std::size_t names_ = 0;  // given out; none is used twice
  std::vector<Statement> line_;
  struct Expected {
    bool prepares = false;
    std::string sql;  // that it prepares
  };
  std::vector<Expected> expected_;  // of the round that is under way
  std::vector<Answer> answers_;
  bool unread_ = false;  // a round was sent whose answers nobody has read
  bool lost_ = false;
  Failure failure_ = Failure::none;
  std::optional<Error> error_;
};

}  // namespace holdfast::store::postgres
