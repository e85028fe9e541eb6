#pragma once

// Settings: flags over environment over config.json over defaults (design 8.13).
//
// Every setting has one row in known_settings(). `a.b_c` is HOLDFAST_A_B_C in the environment, {"a":{"b_c":...}}
// in config.json and, where a command takes it as a flag, --b-c. A list is an array in config.json and
// comma-separated elsewhere, but for folders, whose names may have commas: as a flag each is given by itself, and in the
// environment a JSON array is understood, too; what has parts of its own (json) is JSON everywhere. A value that does not fit its
// type is an error that names where it came from; a name in config.json that this version does not know is a warning, because a
// newer one may have written it.

#include "base/json/json.h"
#include "base/run/clock.h"
#include "cli/program/folders.h"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::cli {

struct SettingInfo {
  enum class Type { text, number, decimal, flag, list, folders, json };
  std::string_view name;
  Type type;
  std::string_view fallback;
  std::string_view help;
  std::string_view flag = {};  // its flag, when that is not the last part of its name
  // Of a number. In seconds this is three centuries, and it is far from where milliseconds end.
  std::int64_t highest = 10'000'000'000;
};
std::span<const SettingInfo> known_settings();

// Settings given as flags, by name.
using Flags = std::map<std::string, std::vector<std::string>>;

class Settings {
 public:
  // config: the text of config.json, or nullopt when there is no such file.
  static Result<Settings> load(const Flags& flags, const Environment& environment, const std::optional<std::string>& config,
                               const std::string& config_name);

  // The name must be one of known_settings() with that type.
  const std::string& text(std::string_view name) const;
  std::int64_t number(std::string_view name) const;
  Millis seconds(std::string_view name) const;  // a number of them
  double decimal(std::string_view name) const;
  Json json(std::string_view name) const;
  bool flag(std::string_view name) const;
  const std::vector<std::string>& list(std::string_view name) const;
  // Somebody said it, in whatever place.
  bool is_set(std::string_view name) const;

  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  struct Value {
    std::vector<std::string> texts;
    std::string origin;  // "--port", "HOLDFAST_PORT", "config.json: port"; empty: the default
  };
  const Value& value(std::string_view name) const;
  Result<void> take_config(const JsonObject& object, const std::string& prefix, const std::string& config_name);
  Result<void> check(const SettingInfo& info) const;

  std::map<std::string, Value, std::less<>> values_;
  std::vector<std::string> warnings_;
};

std::string environment_name(std::string_view setting);  // "http.allowed_hosts" -> "HOLDFAST_HTTP_ALLOWED_HOSTS"
std::string flag_name(std::string_view setting);         // "no_auth" -> "--no-auth", "documents.roots" -> "--documents"

}  // namespace holdfast::cli
