#include "kinds/documents/files/trash.h"

#include "base/files/file.h"
#include "base/files/in_folder.h"
#include "base/files/path_below.h"
#include "base/ids.h"
#include "base/json/json.h"
#include "base/run/log.h"
#include "kinds/documents/files/document_file.h"
#include "kinds/documents/files/path_name.h"

#include <fmt/format.h>

#include <fcntl.h>

#include <algorithm>
#include <cerrno>

namespace holdfast::documents {
namespace {

constexpr std::size_t kTrashIdCharacters = 10;      // 50 bits: ids are typed by people
constexpr std::size_t kMaxHeaderBytes = 64 * 1024;  // two paths, and what JSON makes of them

Result<Spot> open_trash(Library& library, std::string_view id) {
  Spot spot;
  HF_TRY(spot.folder, open_folder(trash_folder(library)));
  spot.name = id;
  return spot;
}

bool is_trash_id(std::string_view id) {
  return id.starts_with("t_") && id.find_first_not_of("abcdefghijklmnopqrstuvwxyz234567", 2) == id.npos;
}

}  // namespace

std::string make_trash_id() {
  return "t_" + random_base32(kTrashIdCharacters);
}

std::string trash_folder(const Library& library) {
  return library.settings().state_folder + "/trash";
}

std::string to_trash_bytes(const TrashFile& file) {
  JsonObject header;
  header["id"] = file.about.id;
  header["path"] = file.about.path;
  header["key"] = file.about.key;
  header["time"] = file.about.time;
  header["size"] = file.about.size;
  header["mode"] = file.mode;
  return to_json(header) + '\n' + file.bytes;
}

Result<TrashFile> read_trash_file(const Spot& spot) {
  const Fd opened(::openat(spot.folder.get(), spot.name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!opened) return fail(system_error(spot.name, errno));
  HF_TRY(const std::string bytes, read_all(opened.get(), kMaxDocumentBytes + kMaxHeaderBytes));
  const std::size_t newline = bytes.find('\n');
  const auto header = parse_json(std::string_view(bytes).substr(0, newline));
  const JsonObject* object = header ? header->if_object() : nullptr;
  if (!object || newline == bytes.npos) return fail(ErrorKind::corrupt, spot.name + " in the trash says not where it came from");
  TrashFile file;
  file.about.id = find_string(*object, "id").value_or("");
  file.about.path = find_string(*object, "path").value_or("");
  file.about.key = find_string(*object, "key").value_or("");
  file.about.time = find_int(*object, "time").value_or(0);
  file.about.size = static_cast<std::uint64_t>(find_int(*object, "size").value_or(0));
  file.mode = static_cast<unsigned>(find_int(*object, "mode").value_or(0));
  file.bytes = bytes.substr(newline + 1);
  if (file.bytes.size() != file.about.size) return fail(ErrorKind::corrupt, spot.name + " in the trash is not whole");
  return file;
}

Result<std::vector<TrashedFile>> list_trash(Library& library) {
  std::vector<TrashedFile> files;
  HF_TRY(const auto entries, entries_in(trash_folder(library)));
  for (const auto& [name, type] : entries) {
    if (!is_trash_id(name)) continue;
    HF_TRY(const Spot spot, open_trash(library, name));
    auto file = read_trash_file(spot);
    if (!file) {
      log(LogLevel::warn, "documents", file.error().message);
    } else if (library.place_of(file->about.key)) {
      files.push_back(std::move(file->about));
    }
  }
  std::ranges::sort(files,
                    [](const TrashedFile& a, const TrashedFile& b) { return a.time != b.time ? a.time > b.time : a.id < b.id; });
  return files;
}

Result<Place> restore_from_trash(Library& library, std::string_view id, std::string_view who) {
  const auto unknown = [&] {
    return fail(ErrorKind::not_found, fmt::format("the trash has no \"{}\"", id), "The list of the trash has the ids.");
  };
  if (!is_trash_id(id)) return unknown();
  HF_TRY(const Spot trashed, open_trash(library, id));
  auto file = read_trash_file(trashed);
  if (!file && file.error().kind == ErrorKind::not_found) return unknown();
  if (!file) return fail(std::move(file).error());
  FileStep step;
  step.kind = FileStep::Kind::create;
  const auto place = library.place_of(file->about.key);
  if (!place) return unknown();
  step.place = *place;
  step.bytes = std::move(file->bytes);
  step.mode = file->mode;
  HF_TRY(const DocumentLock lock, DocumentLock::take(library, place->key));
  HF_CHECK(apply_steps(library, {step}, {"restore", {std::string(id)}, std::string(who)}));
  // When this is lost in a crash the file is in both places, which harms nobody.
  if (!remove_at(trashed)) log(LogLevel::warn, "documents", fmt::format("{} is back, and in the trash as well", id));
  step.place.exists = true;
  return step.place;
}

}  // namespace holdfast::documents
