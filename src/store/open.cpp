#include "store/open.h"

#include "store/postgres/store.h"
#include "store/sqlite/store.h"

#include <fmt/format.h>

namespace holdfast::store {

namespace {

Result<std::string> sqlite_path(std::string_view url) {
  if (!url.starts_with(kSqliteScheme)) {
    // An address may hold a password; only its scheme is repeated.
    return fail(ErrorKind::invalid, fmt::format("no store of the kind \"{}\" is known", url.substr(0, url.find(':'))),
                "use sqlite:PATH or postgres://USER@HOST/DATABASE");
  }
  std::string path(url.substr(kSqliteScheme.size()));
  if (path.empty() || path.find('\0') != std::string::npos) {
    return fail(ErrorKind::invalid, "the address of the store names no file", "use sqlite:PATH");
  }
  return path;
}

Result<std::unique_ptr<CopyEnd>> open_copy(std::string_view url, bool create) {
  if (postgres::is_address(url)) return postgres::open_postgres_copy(url, create);
  HF_TRY(const std::string path, sqlite_path(url));
  return open_sqlite_copy(path, create);
}

}  // namespace

Result<std::unique_ptr<session::Store>> open_store(std::string_view url, const OpenOptions& options) {
  if (postgres::is_address(url)) return postgres::open_postgres_store(url, options);
  HF_TRY(const std::string path, sqlite_path(url));
  return open_sqlite_store(path, options);
}

Result<CopyTotals> copy_store(std::string_view from, std::string_view to,
                              const std::function<void(const CopyProgress&)>& progress) {
  HF_TRY(const auto source, open_copy(from, false));
  HF_TRY(const auto target, open_copy(to, true));
  return copy_everything(*source, *target, progress);
}

}  // namespace holdfast::store
