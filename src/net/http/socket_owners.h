#pragma once

// Whose process holds the other end of a connection on this machine, as the kernel knows it (sock_diag(7)).
//
// A client cannot choose what is answered here: a socket belongs to the user who made it, also after it was handed on. A socket
// that no process holds any more belongs to nobody. One thread at a time.

#include "base/files/fd.h"
#include "base/result.h"

#include <cstdint>

namespace holdfast::net {

class SocketOwners {
 public:
  // The user (uid) of the process that a connected TCP socket leads to. A few microseconds; does not wait. Errors: not_found (not
  // of this machine, or nobody holds it any more), io (the kernel does not say).
  Result<std::uint32_t> peer_of(int socket);

 private:
  Fd netlink_;  // opened when it is first needed
  std::uint32_t last_question_ = 0;
};

}  // namespace holdfast::net
