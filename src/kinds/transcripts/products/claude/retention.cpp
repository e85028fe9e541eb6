#include "kinds/transcripts/products/claude/retention.h"

#include "base/files/file.h"
#include "base/json/json.h"
#include "session/life/retention.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace holdfast::transcripts {
namespace {

constexpr std::int64_t kMaxDays = 1'000'000;                // beyond every calendar; keeps the arithmetic small
constexpr std::size_t kMaxSettingsBytes = 4 * 1024 * 1024;  // a page of JSON
constexpr std::array kFiles = {"settings.json", "settings.local.json"};

}  // namespace

Retention read_retention(const Home& home) {
  Retention retention;
  for (const char* name : kFiles) {
    // Not through the home, which follows no links: people keep their settings elsewhere and leave a link.
    const std::string path = home.folder() + "/" + name;
    const auto text = read_file(path, kMaxSettingsBytes);
    if (!text) {
      if (text.error().kind != ErrorKind::not_found)
        retention.trouble.push_back(fmt::format("{} cannot be read ({}), so what it says about cleanupPeriodDays is not known.",
                                                path, text.error().message));
      continue;
    }
    const auto settings = parse_json(*text);
    if (!settings || !settings->is_object()) {
      retention.trouble.push_back(
          fmt::format("{} is not a JSON object, so what it says about cleanupPeriodDays is not known.", path));
      continue;
    }
    const Json* value = find(*settings, "cleanupPeriodDays");
    if (!value) continue;
    const auto days = find_int(settings->get_object(), "cleanupPeriodDays");
    if (!days || *days < 0) {
      retention.trouble.push_back(
          fmt::format("cleanupPeriodDays in {} is {}, which is no number of days.", path, holdfast::to_json(*value)));
      continue;
    }
    retention.days = static_cast<int>(std::min(*days, kMaxDays));
    retention.is_default = false;
    retention.source = path;
  }
  return retention;
}

Millis expires_at(const Retention& retention, Millis mtime) {
  return mtime + retention.days * session::kDay;
}

}  // namespace holdfast::transcripts
