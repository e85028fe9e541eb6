#pragma once

// Tells the service manager how the service stands (sd_notify(3)): READY=1 when clients are served, STOPPING=1 when it ends. So
// `systemctl restart` of one node after the other waits until the first one really serves.
//
// By hand, because it is one datagram: the library for it would be a dependency of the whole program.

#include <string_view>

namespace holdfast::cli {

// Nothing happens without a service manager that waits for it.
void tell_service_manager(std::string_view state);

}  // namespace holdfast::cli
