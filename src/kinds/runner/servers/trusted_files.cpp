#include "kinds/runner/servers/trusted_files.h"

#include "base/files/file.h"
#include "base/json/json.h"
#include "base/text/text.h"

namespace holdfast::runner {

namespace {

Result<JsonObject> read_trusted(const std::string& list) {
  const auto text = read_file(list);
  if (!text && text.error().kind == ErrorKind::not_found) return JsonObject();
  if (!text) return fail(text.error());
  auto parsed = parse_json(*text);
  if (!parsed || !parsed->is_object())
    return fail(ErrorKind::corrupt, list + " is no list of files that were agreed to",
                "remove it: everything is asked about again");
  return std::move(parsed->as_object());
}

}  // namespace

Result<Trust> TrustedFiles::of(const std::string& path, const std::string& digest) const {
  HF_TRY(const JsonObject trusted, read_trusted(list_));
  const auto known = find_string(trusted, to_valid_utf8(path));
  if (!known) return Trust::unknown;
  return *known == digest ? Trust::agreed : Trust::changed;
}

Result<void> TrustedFiles::agree(const std::string& path, const std::string& digest) const {
  HF_TRY(const FileLock lock, FileLock::acquire(list_ + ".lock"));
  HF_TRY(JsonObject trusted, read_trusted(list_));
  trusted[to_valid_utf8(path)] = digest;
  return replace_file(list_, to_json_pretty(Json(std::move(trusted))) + "\n");
}

}  // namespace holdfast::runner
