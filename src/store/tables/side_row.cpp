#include "store/tables/side_row.h"

#include <fmt/format.h>

namespace holdfast::store {

session::LineageEvent decode_lineage(const Columns& columns) {
  session::LineageEvent event;
  event.number = columns.integer(0);
  event.child = columns.text(1);
  event.parent = columns.text(2);
  event.how = columns.text(3);
  event.when = columns.integer(4);
  auto details = parse_json(columns.text(5));
  if (details && details->is_object()) event.details = std::move(details->get_object());
  return event;
}

Result<session::KeyedValue> decode_value(const Columns& columns, std::string_view space) {
  session::KeyedValue value;
  value.space = space;
  value.key = columns.text(0);
  auto json = parse_json(columns.text(1));
  if (!json) return fail(ErrorKind::corrupt, fmt::format("the value {}/{} cannot be read", space, value.key));
  value.value = *std::move(json);
  value.rev = columns.integer(2);
  value.updated_at = columns.integer(3);
  value.expires_at = columns.optional_integer(4);
  return value;
}

session::Lease decode_lease(const Columns& columns, std::string_view name) {
  session::Lease lease;
  lease.name = name;
  lease.owner = {std::string(columns.text(0)), columns.integer(1), columns.integer(2), std::string(columns.text(3))};
  lease.epoch = columns.integer(4);
  lease.renewed = {columns.integer(5), columns.integer(6)};
  lease.ttl = columns.integer(7);
  return lease;
}

session::Tombstone decode_tombstone(const Columns& columns, std::string_view id) {
  return {std::string(id),    std::string(columns.text(0)), std::string(columns.text(1)), columns.optional_integer(2),
          columns.integer(3), std::string(columns.text(4))};
}

}  // namespace holdfast::store
