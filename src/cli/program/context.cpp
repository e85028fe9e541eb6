#include "cli/program/context.h"

#include "base/files/file.h"
#include "base/run/log.h"
#include "cli/program/care_settings.h"
#include "store/open.h"

namespace holdfast::cli {

namespace {

constexpr std::size_t kMaxConfigBytes = 1024 * 1024;  // written by hand

Result<std::optional<std::string>> read_config(const std::string& path) {
  auto text = read_file(path, kMaxConfigBytes);
  if (text) return std::move(*text);
  if (text.error().kind == ErrorKind::not_found) return std::nullopt;
  return fail(std::move(text).error());
}

}  // namespace

Result<Context> Context::make(CommandLine line, const Environment& environment) {
  HF_TRY(Folders folders, find_folders(environment));
  HF_TRY(auto config, read_config(folders.config_file()));
  HF_TRY(Settings settings, Settings::load(line.flags, environment, config, folders.config_file()));
  LogLevel level = LogLevel::info;
  if (!parse_log_level(settings.text("log_level"), level))
    return fail(ErrorKind::invalid, "log_level: there is no level " + settings.text("log_level"),
                "use debug, info, warn, error or off");
  set_log_level(level);
  for (const std::string& warning : settings.warnings()) log(LogLevel::warn, "cli", warning);

  std::shared_ptr<const Clock> clock = std::make_shared<SystemClock>();
  if (const std::string& file = settings.text("clock_file"); !file.empty()) {
    auto opened = FileClock::open(file);
    if (!opened) return fail(std::move(opened).error().within("clock_file"));
    clock = std::move(*opened);
  }
  return Context{std::move(line), std::move(folders), std::move(settings), std::move(clock), Terminal::of_stdout(), environment};
}

std::string Context::store_url() const {
  const std::string& url = settings.text("store");
  return url.empty() ? folders.default_store() : url;
}

Result<std::unique_ptr<session::Store>> Context::open_store(bool to_read) const {
  const std::string url = store_url();
  if (!to_read && url == folders.default_store()) HF_CHECK(make_data_folder(folders));
  store::OpenOptions options;
  options.clock = clock;
  options.read_only = to_read;
  options.due = session::due_rule(retention_policy(settings));
  options.meter = commits;
  auto opened = store::open_store(url, options);
  if (opened || opened.error().code != store::kOlderFormat) return opened;
  // The first use of a store by a newer version brings it up to date, also when it only wants to read.
  options.read_only = false;
  if (!store::open_store(url, options)) return opened;
  options.read_only = true;
  return store::open_store(url, options);
}

}  // namespace holdfast::cli
