#include "web/metrics/store_metrics.h"

#include <sys/statvfs.h>

#include <filesystem>

namespace holdfast::web {

void add_store_metrics(MetricsText& metrics, session::Store& store) {
  const auto info = store.info();
  metrics.gauge("store_up", "1 when the store answered.", info ? 1 : 0);
  if (!info) return;
  metrics.gauge("store_read_only", "1 when nothing can be written to it.", info->read_only ? 1 : 0);
  metrics.gauge("store_bytes", "Size of the store.", static_cast<std::uint64_t>(info->bytes));
  metrics.gauge("store_index_bytes", "Size of its full-text index.", static_cast<std::uint64_t>(info->index_bytes));
  metrics.gauge("store_sessions", "Sessions in the store.", static_cast<std::uint64_t>(info->sessions));
  metrics.gauge("store_entries", "Entries in the store.", static_cast<std::uint64_t>(info->entries));
  if (info->path.empty()) return;  // a database knows its own disk
  const std::string folder = std::filesystem::path(info->path).parent_path().string();
  struct statvfs disk{};
  if (::statvfs(folder.empty() ? "." : folder.c_str(), &disk) != 0) return;
  metrics.gauge("store_free_bytes", "Free space on the disk of the store.", std::uint64_t{disk.f_bavail} * disk.f_frsize);
  metrics.gauge("store_disk_bytes", "Size of that disk.", std::uint64_t{disk.f_blocks} * disk.f_frsize);
}

}  // namespace holdfast::web
