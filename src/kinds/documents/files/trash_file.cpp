#include "kinds/documents/files/trash_file.h"

#include "base/files/file.h"
#include "base/ids.h"
#include "base/json/json.h"
#include "kinds/documents/files/document_file.h"

#include <fcntl.h>

#include <cerrno>

namespace holdfast::documents {
namespace {

constexpr std::size_t kTrashIdCharacters = 10;      // 50 bits: ids are typed by people
constexpr std::size_t kMaxHeaderBytes = 64 * 1024;  // two paths, and what JSON makes of them

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

}  // namespace holdfast::documents
