#include "kinds/documents/files/trash.h"

#include "base/files/in_folder.h"
#include "base/files/path_below.h"
#include "base/run/log.h"
#include "kinds/documents/files/document_file.h"
#include "kinds/documents/files/path_name.h"
#include "kinds/documents/files/trash_file.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::documents {
namespace {

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
