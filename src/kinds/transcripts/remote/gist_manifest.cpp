#include "kinds/transcripts/remote/gist_manifest.h"

#include "base/text/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::transcripts {
namespace {

constexpr std::string_view kGistNameBegin = "session-";
constexpr std::string_view kTimeShape = "00000000_000000";
constexpr std::string_view kManifestEnd = ".json.zst.manifest.json";
constexpr std::size_t kIdLength = 8;
constexpr std::size_t kHashLength = 64;

bool is_id(char c) {
  return is_ascii_digit(c) || is_ascii_letter(c) || c == '_' || c == '-';
}

struct NameParts {
  std::string_view time, end;  // "20260728_093000", ".json.zst.b64"
};

std::optional<NameParts> take_apart(std::string_view name) {
  if (!name.starts_with(kGistNameBegin)) return std::nullopt;
  name.remove_prefix(kGistNameBegin.size());
  if (name.size() < kIdLength + 1 + kTimeShape.size() || !std::ranges::all_of(name.substr(0, kIdLength), is_id) ||
      name[kIdLength] != '-')
    return std::nullopt;
  name.remove_prefix(kIdLength + 1);
  const NameParts parts{name.substr(0, kTimeShape.size()), name.substr(kTimeShape.size())};
  for (std::size_t i = 0; i < kTimeShape.size(); ++i)
    if (kTimeShape[i] == '0' ? !is_ascii_digit(parts.time[i]) : parts.time[i] != kTimeShape[i]) return std::nullopt;
  return parts.end.starts_with(".json") ? std::optional(parts) : std::nullopt;
}

std::unexpected<Error> no_manifest(std::string_view why) {
  return fail(ErrorKind::corrupt, fmt::format("the manifest of the gist is damaged: {}", why), "upload the archive again");
}

}  // namespace

std::string gist_archive_name(std::string_view session_id, Millis now) {
  std::string id(session_id.substr(0, kIdLength));
  std::ranges::replace_if(id, [](char c) { return !is_id(c); }, '_');
  id.resize(kIdLength, '_');
  const std::string time = iso8601(now);  // 2026-07-28T09:30:00.000Z
  return fmt::format("{}{}-{}{}{}_{}{}{}.json.zst", kGistNameBegin, id, time.substr(0, 4), time.substr(5, 2), time.substr(8, 2),
                     time.substr(11, 2), time.substr(14, 2), time.substr(17, 2));
}

std::string gist_part_name(std::string_view archive, std::size_t part, std::size_t parts) {
  return parts == 1 ? fmt::format("{}.b64", archive) : fmt::format("{}.b64.part-{:03}", archive, part + 1);
}

std::string gist_manifest_name(std::string_view archive) {
  return fmt::format("{}.manifest.json", archive);
}

std::string to_text(const GistManifest& manifest) {
  JsonArray parts;
  for (const auto& part : manifest.parts)
    parts.push_back(JsonObject{{"name", part.name}, {"sha256", part.sha256}, {"bytes", part.bytes}});
  return to_json_pretty(JsonObject{{"holdfast_gist", 1},
                                   {"archive", manifest.archive},
                                   {"sha256", manifest.sha256},
                                   {"bytes", manifest.bytes},
                                   {"parts", std::move(parts)}});
}

Result<GistManifest> parse_gist_manifest(std::string_view text) {
  const auto parsed = parse_json(text);
  if (!parsed || !parsed->is_object()) return no_manifest("it is not a JSON object");
  const JsonObject& object = parsed->get_object();
  const auto version = find_int(object, "holdfast_gist");
  if (!version) return no_manifest("it does not say what it is");
  if (*version != 1)
    return fail(ErrorKind::corrupt, fmt::format("the manifest of the gist has version {}, we know 1", *version),
                "a newer holdfast wrote it; use that one");

  // What is named is read from the gist and nowhere else, so names need no more than their shape.
  GistManifest manifest;
  const auto take = [](const JsonObject& from, std::string_view name_key, std::string& name, std::string& hash,
                       std::uint64_t& bytes) {
    const auto found_name = find_string(from, name_key), found_hash = find_string(from, "sha256");
    const auto found_bytes = find_int(from, "bytes");
    if (!found_name || !found_hash || !found_bytes || *found_bytes < 0 || !is_gist_archive_file(*found_name) ||
        found_hash->size() != kHashLength || !std::ranges::all_of(*found_hash, is_lower_hex))
      return false;
    name = *found_name;
    hash = *found_hash;
    bytes = static_cast<std::uint64_t>(*found_bytes);
    return true;
  };
  const JsonArray* parts = find_array(object, "parts");
  if (!take(object, "archive", manifest.archive, manifest.sha256, manifest.bytes) || !parts || parts->empty() ||
      parts->size() > kMaxGistParts)
    return no_manifest("name, hash, size or parts of the archive are missing");
  for (const Json& entry : *parts) {
    GistManifest::Part part;
    if (!entry.is_object() || !take(entry.get_object(), "name", part.name, part.sha256, part.bytes) || part.bytes > kGistPartText)
      return no_manifest("name, hash or size of a part is missing");
    manifest.parts.push_back(std::move(part));
  }
  return manifest;
}

bool is_gist_archive_file(std::string_view name) {
  return take_apart(name).has_value();
}

std::optional<GistChoice> newest_in_gist(const std::vector<std::string>& names) {
  std::optional<GistChoice> newest;
  std::string_view newest_time;
  for (const std::string& name : names) {
    const auto parts = take_apart(name);
    if (!parts) continue;
    const bool is_manifest = parts->end == kManifestEnd;
    if (!is_manifest && parts->end != ".json" && parts->end != ".json.b64" && parts->end != ".json.zst" &&
        parts->end != ".json.zst.b64")
      continue;
    if (newest && (parts->time < newest_time || (parts->time == newest_time && !is_manifest))) continue;
    newest = GistChoice{name, is_manifest};
    newest_time = parts->time;
  }
  return newest;
}

}  // namespace holdfast::transcripts
