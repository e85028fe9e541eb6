// floor_server - the least an MCP echo server can do, as a yardstick.
//
// Not a conforming server: no header validation, no origin check, no sessions worth the
// name, one thread. It answers initialize, server/discover, tools/list and an `echo`
// tools/call in both eras so that a load run shows what the machine, the kernel and the
// generator cost by themselves. Usage: floor_server --stdio | floor_server --port N
#include "json_min.hpp"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <memory>

static const char* fault() {
  static const char* f = getenv("FLOOR_FAULT");
  return f ? f : "";
}

static string answer(const string& text) {  // empty string: notification, nothing to send
  Json j;
  if (!JsonParser(text).parse(j)) return "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32700,\"message\":\"parse\"}}";
  const Json* id = j.get("id");
  const Json* m = j.get("method");
  if (!id || !m) return "";
  string rid = id->kind == Json::Str ? jq(id->raw) : id->raw;
  const Json* pr = j.get("params");
  bool modern = pr && pr->get("_meta") && pr->get("_meta")->get("io.modelcontextprotocol/protocolVersion");
  string rt = modern ? "\"resultType\":\"complete\"," : "", cache = modern ? ",\"ttlMs\":60000,\"cacheScope\":\"public\"" : "";
  string r;
  if (m->raw == "ping")
    r = "{}";
  else if (m->raw == "initialize") {
    const Json* v = pr ? pr->get("protocolVersion") : nullptr;
    r = "{\"protocolVersion\":" + jq(v ? v->raw : "2025-11-25") +
        ",\"capabilities\":{\"tools\":{}},\"serverInfo\":{\"name\":\"floor\",\"version\":\"1\"}}";
  } else if (m->raw == "server/discover")
    r = "{" + rt + "\"supportedVersions\":[\"2026-07-28\"],\"capabilities\":{\"tools\":{}}" + cache + "}";
  else if (m->raw == "tools/list")
    r = "{" + rt +
        "\"tools\":[{\"name\":\"echo\",\"description\":\"echo\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"message\":"
        "{\"type\":\"string\"}},\"required\":[\"message\"]}}]" +
        cache + "}";
  else if (m->raw == "tools/call") {
    const Json* a = pr ? pr->get("arguments") : nullptr;
    const Json* t = a ? a->get("message") : nullptr;
    string said = t ? t->raw : "";
    static int calls = 0;
    if (*fault() && ++calls == 300) {  // one wrong answer among many, for the generator's self test
      if (!strcmp(fault(), "text")) said += "!";
      if (!strcmp(fault(), "id")) rid = "999999999";
      if (!strcmp(fault(), "resulttype")) rt = "";
      if (!strcmp(fault(), "json")) return "{";
      if (!strcmp(fault(), "error"))
        return "{\"jsonrpc\":\"2.0\",\"id\":" + rid + ",\"error\":{\"code\":-32603,\"message\":\"x\"}}";
    }
    r = "{" + rt + "\"content\":[{\"type\":\"text\",\"text\":" + jq(said) + "}]}";
  } else
    return "{\"jsonrpc\":\"2.0\",\"id\":" + rid + ",\"error\":{\"code\":-32601,\"message\":\"Method not found\"}}";
  return "{\"jsonrpc\":\"2.0\",\"id\":" + rid + ",\"result\":" + r + "}";
}

static int run_stdio() {
  string buf;
  char b[65536];
  ssize_t n;
  while ((n = read(0, b, sizeof b)) > 0) {
    buf.append(b, n);
    string out;
    size_t nl, from = 0;
    while ((nl = buf.find('\n', from)) != string::npos) {
      string a = answer(buf.substr(from, nl - from));
      if (!a.empty()) out += a + "\n";
      from = nl + 1;
    }
    buf.erase(0, from);
    for (size_t o = 0; o < out.size();) {
      ssize_t k = write(1, out.data() + o, out.size() - o);
      if (k <= 0) return 1;
      o += k;
    }
  }
  return 0;
}

struct C {
  int fd;
  string in, out;
};

int main(int argc, char** argv) {
  signal(SIGPIPE, SIG_IGN);
  if (argc > 1 && !strcmp(argv[1], "--stdio")) return run_stdio();
  int port = argc > 2 ? atoi(argv[2]) : 0, one = 1;
  int ls = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  setsockopt(ls, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  sockaddr_in a{};
  a.sin_family = AF_INET;
  a.sin_port = htons(port);
  a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (bind(ls, (sockaddr*)&a, sizeof a) || listen(ls, 512)) {
    perror("listen");
    return 1;
  }
  int ep = epoll_create1(0);
  epoll_event ev{};
  ev.events = EPOLLIN;
  ev.data.ptr = nullptr;
  epoll_ctl(ep, EPOLL_CTL_ADD, ls, &ev);
  epoll_event evs[256];
  char b[65536];
  for (;;) {
    int n = epoll_wait(ep, evs, 256, -1);
    for (int i = 0; i < n; i++) {
      if (!evs[i].data.ptr) {
        int fd;
        while ((fd = accept4(ls, nullptr, nullptr, SOCK_NONBLOCK)) >= 0) {
          setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
          ev.data.ptr = new C{fd, {}, {}};
          epoll_ctl(ep, EPOLL_CTL_ADD, fd, &ev);
        }
        continue;
      }
      C* c = static_cast<C*>(evs[i].data.ptr);
      ssize_t k = read(c->fd, b, sizeof b);
      if (k < 0 && errno == EAGAIN) continue;
      if (k <= 0) {
        close(c->fd);
        delete c;
        continue;
      }
      c->in.append(b, k);
      for (;;) {
        size_t h = c->in.find("\r\n\r\n");
        if (h == string::npos) break;
        const char* cl = strcasestr(c->in.c_str(), "content-length:");
        size_t len = cl && size_t(cl - c->in.c_str()) < h ? strtoul(cl + 15, nullptr, 10) : 0;
        if (c->in.size() < h + 4 + len) break;
        string r = answer(c->in.substr(h + 4, len));
        c->in.erase(0, h + 4 + len);
        if (r.empty())
          c->out += "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n";
        else
          c->out +=
              "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(r.size()) + "\r\n\r\n" + r;
      }
      while (!c->out.empty()) {
        ssize_t w = write(c->fd, c->out.data(), c->out.size());
        if (w <= 0) break;  // answers are far below the socket buffer; a yardstick need not queue
        c->out.erase(0, w);
      }
    }
  }
}
