#include "net/http/socket_owners.h"

#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace holdfast::net {

namespace {

struct DiagQuestion {
  nlmsghdr header;
  inet_diag_req_v2 body;
};

// Address and port as the question wants them: both in network order.
void write_end(const sockaddr_storage& end, __be16& port, __be32 (&address)[4]) {
  if (end.ss_family == AF_INET6) {
    const auto& v6 = reinterpret_cast<const sockaddr_in6&>(end);
    port = v6.sin6_port;
    std::memcpy(address, &v6.sin6_addr, sizeof address);
  } else {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(end);
    port = v4.sin_port;
    std::memcpy(address, &v4.sin_addr, sizeof v4.sin_addr);
  }
}

// Half closed is still held. Anything else is another socket that has come to be at this place: one that listens or connects.
bool is_connected(std::uint8_t state) {
  return state == TCP_ESTABLISHED || state == TCP_FIN_WAIT1 || state == TCP_FIN_WAIT2;
}

}  // namespace

Result<std::uint32_t> SocketOwners::peer_of(int socket) {
  sockaddr_storage here{}, there{};
  socklen_t here_size = sizeof here, there_size = sizeof there;
  if (::getsockname(socket, reinterpret_cast<sockaddr*>(&here), &here_size) != 0 ||
      ::getpeername(socket, reinterpret_cast<sockaddr*>(&there), &there_size) != 0)
    return fail(ErrorKind::not_found, "the client has gone");

  if (!netlink_) netlink_ = Fd(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG));
  if (!netlink_) return fail(system_error("ask whose socket it is", errno));
  DiagQuestion question{};
  question.header.nlmsg_len = sizeof question;
  question.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  question.header.nlmsg_flags = NLM_F_REQUEST;
  question.header.nlmsg_seq = ++last_question_;
  question.body.sdiag_family = static_cast<std::uint8_t>(here.ss_family);
  question.body.sdiag_protocol = IPPROTO_TCP;
  // The client's end has our addresses the other way round.
  write_end(there, question.body.id.idiag_sport, question.body.id.idiag_src);
  write_end(here, question.body.id.idiag_dport, question.body.id.idiag_dst);
  question.body.id.idiag_cookie[0] = question.body.id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
  if (::send(netlink_.get(), &question, sizeof question, 0) != static_cast<ssize_t>(sizeof question))
    return fail(system_error("ask whose socket it is", errno));

  // The kernel answers inside of send(). What is left of an earlier question is not meant.
  for (;;) {
    alignas(nlmsghdr) std::array<char, 1024> answer;
    const ssize_t got = ::recv(netlink_.get(), answer.data(), answer.size(), MSG_DONTWAIT);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(system_error("learn whose socket it is", errno));
    nlmsghdr header{};
    if (static_cast<std::size_t>(got) < sizeof header) return fail(ErrorKind::io, "the kernel's answer about a socket is cut");
    std::memcpy(&header, answer.data(), sizeof header);
    if (header.nlmsg_seq != last_question_) continue;
    inet_diag_msg found{};
    if (header.nlmsg_type != SOCK_DIAG_BY_FAMILY || static_cast<std::size_t>(got) < NLMSG_HDRLEN + sizeof found)
      return fail(ErrorKind::not_found, "no process of this machine is at the other end");
    std::memcpy(&found, answer.data() + NLMSG_HDRLEN, sizeof found);
    // A socket that its process has closed has no inode, and is said to be root's.
    if (found.idiag_inode == 0 || !is_connected(found.idiag_state))
      return fail(ErrorKind::not_found, "no process of this machine is at the other end");
    return found.idiag_uid;
  }
}

}  // namespace holdfast::net
