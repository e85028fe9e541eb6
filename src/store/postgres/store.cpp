#include "store/postgres/store.h"

#include "base/crypto/hash.h"
#include "store/postgres/listener.h"
#include "store/postgres/rows/read_tables.h"
#include "store/postgres/schema.h"
#include "store/postgres/search/search.h"
#include "store/postgres/writer.h"
#include "store/tables/transaction.h"
#include "store/tables/verify.h"

#include <fmt/format.h>

namespace holdfast::store::postgres {

using namespace session;  // this file implements that interface

namespace {

// Many sessions, or many entries of many sessions, in as many round trips as connection.h needs to send them: one for every 64.
// What is not there is left out.
Result<std::vector<SessionRecord>> read_each(Connection& connection, const std::vector<std::string>& ids) {
  std::vector<SessionRecord> found;
  if (ids.empty()) return found;
  for (const std::string& id : ids) connection.queue(select_whole_row(id));
  HF_TRY(const auto answers, connection.flush());
  for (const Answer& rows : answers)
    if (!rows.empty()) found.push_back(decode_whole_row(rows[0]).record);
  return found;
}

Result<std::vector<Entry>> read_each(Connection& connection, const std::vector<EntryPlace>& places) {
  static const std::string sql = fmt::format(
      "SELECT {} FROM entries WHERE session = (SELECT s.key FROM sessions AS s WHERE s.id = ?) AND seq = ?", kEntryColumns);
  std::vector<Entry> found;
  if (places.empty()) return found;
  for (const EntryPlace& place : places) connection.queue(sql, {place.session, place.seq});
  HF_TRY(const auto answers, connection.flush());
  for (std::size_t i = 0; i < places.size(); ++i)
    if (!answers[i].empty()) found.push_back(read_entry(answers[i][0], places[i].session));
  return found;
}

class PostgresStore final : public Store {
 public:
  PostgresStore(SessionSettings settings, Context context)
      : context_(std::move(context)),
        pool_(std::move(settings)),
        eraser_(pool_),
        statistics_(pool_),
        writer_(pool_, context_, eraser_, statistics_),
        listener_(pool_, context_),
        hub_(listener_) {}

  void start() {
    if (context_.read_only_reason.empty()) eraser_.finish_old();
  }

  Result<SearchResult> search(const SearchQuery& query) override {
    HF_TRY(SearchResult found, in_one_moment([&](Connection& connection) { return postgres::search(connection, query); }));
    std::vector<EntryPlace> places;
    for (const SearchHit& hit : found.hits)
      if (hit.seq != 0) places.push_back({hit.session, hit.seq});
    if (places.empty()) return found;
    HF_TRY(const std::vector<Entry> entries, entry_each(places));
    for (const Entry& entry : entries) {
      if (!entry.damage) continue;
      for (SearchHit& hit : found.hits)
        if (hit.session == entry.session && hit.seq == entry.seq) show_damage(hit, *entry.damage);
    }
    return found;
  }
  Result<std::vector<SessionRecord>> get_each(const std::vector<std::string>& ids) override {
    return pool_.with([&](Connection& connection) { return read_each(connection, ids); });
  }
  Result<std::vector<Entry>> entry_each(const std::vector<EntryPlace>& places) override {
    return pool_.with([&](Connection& connection) { return read_each(connection, places); });
  }
  Result<Verification> verify(std::string_view session) override {
    return in_one_moment([&](Connection& connection) {
      ReadTables tables(connection, context_.secret);
      return verify_session(tables, session);
    });
  }
  Result<Integrity> integrity() override;
  const std::string& secret() const override { return context_.secret; }
  Result<StoreInfo> info() override;
  Result<std::unique_ptr<Subscription>> subscribe(SubscribeOptions options) override {
    return hub_.subscribe(std::move(options));
  }
  Result<std::vector<Event>> events_after(std::int64_t sequence, std::size_t limit) override {
    return listener_.events_after(sequence, limit);
  }
  Result<std::int64_t> last_sequence() override { return listener_.last_sequence(); }

 protected:
  Result<void> run(const Work& work) override { return writer_.run(work); }
  Result<void> look(Moments moments, const Question& question) override {
    const auto with_reads = [&](Connection& connection) {
      ReadTables tables(connection, context_.secret);
      Reads<Reader> reads(tables, context_);
      return question(reads);
    };
    return moments == Moments::one ? in_one_moment(with_reads) : pool_.with(with_reads);
  }

 private:
  // The end of the transaction is sent along and not waited for.
  template <class Function>
  auto in_one_moment(Function&& function) -> std::invoke_result_t<Function&, Connection&> {
    return pool_.with([&](Connection& connection) {
      connection.begin("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
      auto outcome = function(connection);
      if (!connection.lost()) connection.send_last("ROLLBACK");
      return outcome;
    });
  }

  Context context_;
  Pool pool_;
  Eraser eraser_;
  Statistics statistics_;
  Writer writer_;
  Listener listener_;
  EventHub hub_;
};

Result<Integrity> PostgresStore::integrity() {
  return in_one_moment([&](Connection& connection) -> Result<Integrity> {
    Integrity report;
    std::vector<std::string> ids;
    HF_TRY(const Answer rows, connection.ask("SELECT id FROM sessions ORDER BY id"));
    for (int i = 0; i < rows.size(); ++i) ids.emplace_back(rows[i].text(0));
    ReadTables tables(connection, context_.secret);
    HF_CHECK(verify_sessions(tables, ids, report));
    const auto count = [&](std::string_view sql, std::string_view what) -> Result<void> {
      HF_TRY(const Answer strays, connection.ask(sql));
      if (strays[0].integer(0) != 0) add_problem(report.problems, fmt::format("{} {}", strays[0].integer(0), what));
      return {};
    };
    HF_CHECK(count("SELECT count(*) FROM entries AS e WHERE NOT EXISTS (SELECT FROM sessions AS s WHERE s.key = e.session)",
                   "entries belong to no session"));
    HF_CHECK(count("SELECT count(*) FROM sessions AS s WHERE NOT EXISTS (SELECT FROM roots AS r WHERE r.session = s.key)",
                   "sessions are not found under any root"));
    HF_CHECK(
        count("SELECT count(*) FROM (SELECT principal, kind, visibility, status, pinned, sum(sessions) FROM session_counts "
              "GROUP BY 1, 2, 3, 4, 5 HAVING sum(sessions) <> 0 EXCEPT SELECT principal, kind, visibility, status, pinned, "
              "count(*) FROM sessions GROUP BY 1, 2, 3, 4, 5) AS wrong",
              "counts of sessions are wrong"));
    report.ok = report.damaged.empty() && report.problems.empty();
    return report;
  });
}

Result<StoreInfo> PostgresStore::info() {
  return in_one_moment([&](Connection& connection) -> Result<StoreInfo> {
    StoreInfo info;
    info.url = context_.shown;
    info.read_only = !context_.read_only_reason.empty();
    info.read_only_reason = context_.read_only_reason;
    HF_TRY(info.schema_version, read_format(connection, context_.schema));
    HF_TRY(const Answer rows,
           connection.ask(
               "SELECT (SELECT coalesce(sum(sessions), 0)::int8 FROM session_counts), (SELECT coalesce(sum(count), 0)::int8 FROM "
               "tallies), "
               "sum(pg_table_size(c.oid))::int8, sum(pg_indexes_size(c.oid))::int8 FROM pg_class AS c JOIN pg_namespace AS n "
               "ON n.oid = c.relnamespace WHERE n.nspname = convert_from(?, 'UTF8') AND c.relkind = 'r'",
               {context_.schema}));
    info.sessions = rows[0].integer(0);
    info.entries = rows[0].integer(1);
    info.bytes = rows[0].integer(2);
    info.index_bytes = rows[0].integer(3);
    return info;
  });
}

Result<std::string> read_meta(Connection& connection, const std::string& schema, std::string_view name) {
  HF_TRY(const Answer rows, connection.ask(fmt::format("SELECT value FROM {}.meta WHERE name = ?", quoted_name(schema)), {name}));
  if (rows.empty()) return fail(ErrorKind::corrupt, fmt::format("the store has lost its {}", name));
  return std::string(rows[0].text(0));
}

// Finds the schema, brings it up to date unless that is not wanted or not possible, and fills the context.
Result<void> prepare(Connection& connection, Context& context, bool read_only) {
  HF_TRY(context.schema, find_schema(connection));
  HF_TRY(const int format, read_format(connection, context.schema));
  if (read_only) context.read_only_reason = "the store was opened for reading only";
  if (format > kFormat) {
    context.read_only_reason =
        fmt::format("{} was written by a newer holdfast (format {}, this one knows {}): it can be read, not written",
                    context.shown, format, kFormat);
  } else if (!read_only) {
    HF_CHECK(migrate(connection, context.schema));
  } else if (format == 0) {
    return fail(ErrorKind::not_found, fmt::format("there is no store in {}", context.shown));
  } else if (format < kFormat) {
    return fail(ErrorKind::refused, fmt::format("{} has an older format and must be opened for writing once", context.shown),
                "holdfast store verify does that, started by somebody who may write there", std::string(kOlderFormat));
  }
  HF_TRY(const Answer import,
         connection.ask(fmt::format("SELECT 1::int8 FROM {}.meta WHERE name = 'import'", quoted_name(context.schema))));
  if (!import.empty()) return fail(half_copied(context.shown));
  HF_TRY(context.secret, read_meta(connection, context.schema, "secret"));
  HF_TRY(context.store_id, read_meta(connection, context.schema, "store_id"));
  const Digest digest = sha256(context.store_id);
  constexpr std::size_t kChannelBytes = 8;
  context.channel = "holdfast_" + to_hex(std::span(digest).first(kChannelBytes));
  return {};
}

}  // namespace

bool is_address(std::string_view url) {
  return url.starts_with("postgres://") || url.starts_with("postgresql://");
}

Result<std::unique_ptr<Store>> open_postgres_store(std::string_view url, const OpenOptions& options) {
  HF_TRY(const Address address, parse_address(url));
  Context context;
  context.shown = address.shown;
  context.clock = options.clock ? options.clock : std::make_shared<SystemClock>();
  context.lease_now = options.lease_now ? options.lease_now : lease_time_now;
  context.due = options.due;
  context.meter = options.meter;
  SessionSettings settings{address.url, {}, options.patience};
  {
    HF_TRY(const auto connection, Connection::open(settings));
    HF_CHECK(prepare(*connection, context, options.read_only));
  }
  settings.schema = context.schema;
  auto store = std::make_unique<PostgresStore>(std::move(settings), std::move(context));
  store->start();
  return store;
}

}  // namespace holdfast::store::postgres
