#include "kinds/transcripts/products/claude/project_folder.h"

#include "base/error.h"
#include "base/text/find_bytes.h"
#include "base/text/text.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <filesystem>

namespace holdfast::transcripts {

namespace {

// "/a/b" -> "/a", "C:\a" -> "C:"; empty when there is nothing above.
std::string_view path_above(std::string_view path) {
  const bool windows = path.size() > 1 && path[1] == ':';
  const std::size_t separator = windows ? path.find_last_of("\\/") : path.rfind('/');
  return separator == path.npos ? std::string_view() : path.substr(0, separator);
}

}  // namespace

void ProjectRoot::see(std::string_view cwd) {
  // No client could have worked there, and looking for ancestors must stay cheap.
  if (cwd.empty() || cwd.size() > PATH_MAX) return;
  if (first_.empty()) first_ = cwd;
  if (certain()) return;
  if (is_folder_of(folder_, cwd)) {
    exact_ = cwd;
    return;
  }
  if (!ancestor_.empty()) return;
  // A UTF-16 unit has one to three bytes of UTF-8, and the other Unicode form of a letter up to three units for one: paths
  // outside these lengths cannot have the folder's name.
  const bool cut = folder_.size() > kWholeFolderName;
  const std::size_t longest = cut ? PATH_MAX : 9 * folder_.size();
  const std::size_t shortest = (cut ? kWholeFolderName : folder_.size()) / 2;
  for (auto above = path_above(cwd); above.size() >= shortest; above = path_above(above)) {
    if (above.empty()) return;
    if (above.size() <= longest && is_folder_of(folder_, above)) {
      ancestor_ = above;
      return;
    }
  }
}

namespace {

// The UTF-16 code units of a text; the client works on those. Bytes that are no UTF-8 count as one unit each, as U+FFFD does.
template <class Unit>
void each_utf16_unit(std::string_view text, Unit unit) {
  for (std::size_t at = 0; at < text.size();) {
    const auto lead = static_cast<unsigned char>(text[at]);
    const std::size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    if (lead < 0x80) {
      unit(static_cast<std::uint32_t>(lead));
      ++at;
      continue;
    }
    if (!is_valid_utf8(text.substr(at, length))) {
      unit(std::uint32_t{0xFFFD});
      ++at;
      continue;
    }
    std::uint32_t point = lead & (0x7FU >> length);
    for (std::size_t i = 1; i < length; ++i) point = (point << 6) | (static_cast<unsigned char>(text[at + i]) & 0x3FU);
    if (point >= 0x10000) {
      unit(0xD800 + ((point - 0x10000) >> 10));
      unit(0xDC00 + ((point - 0x10000) & 0x3FF));
    } else {
      unit(point);
    }
    at += length;
  }
}

bool is_kept(std::uint32_t unit) {
  return (unit >= 'a' && unit <= 'z') || (unit >= 'A' && unit <= 'Z') || (unit >= '0' && unit <= '9');
}

std::string base36(std::uint64_t number) {
  std::string text;
  do {
    text.insert(text.begin(), "0123456789abcdefghijklmnopqrstuvwxyz"[number % 36]);
    number /= 36;
  } while (number != 0);
  return text;
}

std::string sanitised(std::string_view path, std::uint32_t& hash) {
  std::string name;
  hash = 0;
  each_utf16_unit(path, [&](std::uint32_t unit) {
    name += is_kept(unit) ? static_cast<char>(unit) : '-';
    hash = hash * 31 + unit;
  });
  return name;
}

}  // namespace

std::string project_folder_name(std::string_view canonical_path) {
  std::uint32_t hash = 0;
  std::string name = sanitised(canonical_path, hash);
  if (name.size() <= kWholeFolderName) return name;
  const auto signed_hash = static_cast<std::int64_t>(static_cast<std::int32_t>(hash));
  return name.substr(0, kWholeFolderName) + "-" +
         base36(static_cast<std::uint64_t>(signed_hash < 0 ? -signed_hash : signed_hash));
}

std::vector<std::string> project_folder_names(std::string_view canonical_path) {
  std::vector<std::string> names = {project_folder_name(canonical_path)};
  if (!has_beyond_ascii(canonical_path)) return names;
  for (const std::string& form : {to_nfc(canonical_path), to_nfd(canonical_path)}) {
    if (form == canonical_path) continue;
    std::string name = project_folder_name(form);
    if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  }
  return names;
}

bool is_folder_of(std::string_view folder_name, std::string_view canonical_path) {
  return std::ranges::any_of(project_folder_names(canonical_path), [&](std::string_view name) {
    if (name.size() <= kWholeFolderName) return folder_name == name;
    return folder_name.size() > kWholeFolderName && folder_name[kWholeFolderName] == '-' &&
           folder_name.substr(0, kWholeFolderName) == name.substr(0, kWholeFolderName);
  });
}

Result<std::string> canonical_project(const std::string& path) {
  if (path.empty() || path.contains('\0')) return fail(ErrorKind::invalid, "a project path cannot be empty");
  std::error_code error;
  const std::filesystem::path whole = std::filesystem::absolute(path, error);
  if (error) return fail(system_error(path, error.value()));
  std::filesystem::path resolved = std::filesystem::weakly_canonical(whole, error);
  if (error) resolved = whole.lexically_normal();
  std::string text = resolved.string();
  while (text.size() > 1 && text.ends_with('/')) text.pop_back();
  return text;
}

Result<std::string> existing_project(const std::string& path) {
  HF_TRY(std::string project, canonical_project(path));
  std::error_code error;
  if (std::filesystem::is_directory(project, error)) return project;
  return fail(ErrorKind::not_found, "there is no folder " + project,
              "make it first, or name another one: a session can only be resumed where its project's folder is");
}

}  // namespace holdfast::transcripts
