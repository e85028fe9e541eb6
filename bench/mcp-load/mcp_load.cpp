// mcp_load - closed-loop load generator and start-up timer for MCP servers.
//
// One binary, no dependencies beyond libc/libstdc++ and Linux (epoll, /proc).
// Speaks both protocol eras over both transports:
//   legacy : initialize / notifications/initialized / Mcp-Session-Id (2024-11-05 .. 2025-11-25)
//   modern : per-request _meta envelope, Mcp-Method / Mcp-Name headers (2026-07-28)
// Every answer is parsed and checked: JSON-RPC id, absence of error, echoed nonce,
// resultType on modern results. A wrong answer is an error, never a fast answer.
// Prints exactly one JSON object on stdout; diagnostics go to stderr.
#include "json_min.hpp"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

static uint64_t now_ns() {
  timespec ts;
  clock_gettime(CLOCK_MONOTONIC, &ts);
  return uint64_t(ts.tv_sec) * 1000000000ull + ts.tv_nsec;
}

[[noreturn]] static void die(const string& m) {
  fprintf(stderr, "mcp_load: %s\n", m.c_str());
  exit(2);
}

// ------------------------------------------------------------------- options
struct Opt {
  string mode = "load";  // load | startup
  string transport = "http", era = "legacy", version, label, cmd, host = "127.0.0.1", path = "/mcp";
  int port = 0, pid = 0, conns = 1, runs = 10;
  long requests = 0, warmup = 200;
  double duration = 3.0, timeout = 20.0;
  string op = "call";  // call: tools/call; ping: ping (legacy) or server/discover (modern)
  string tool = "echo", args = "{\"message\":\"{m}\"}", expect = "{m}";
  bool expect_any = false, version_on_init = false;
  size_t payload = 16;
  string session = "per-connection";  // or shared
} O;

static bool modern() {
  return O.era == "modern";
}

static string subst(string s, const string& k, const string& v) {
  for (size_t i = 0; (i = s.find(k, i)) != string::npos; i += v.size()) s.replace(i, k.size(), v);
  return s;
}

static string meta() {
  return "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":" + jq(O.version) +
         ",\"io.modelcontextprotocol/clientInfo\":{\"name\":\"mcp-load\",\"version\":\"1\"},"
         "\"io.modelcontextprotocol/clientCapabilities\":{}}";
}
static string body_initialize(long id) {
  return "{\"jsonrpc\":\"2.0\",\"id\":" + std::to_string(id) +
         ",\"method\":\"initialize\",\"params\":{\"protocolVersion\":" + jq(O.version) +
         ",\"capabilities\":{},\"clientInfo\":{\"name\":\"mcp-load\",\"version\":\"1\"}}}";
}
static const char* BODY_INITIALIZED = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}";
static string body_list(long id) {
  return "{\"jsonrpc\":\"2.0\",\"id\":" + std::to_string(id) + ",\"method\":\"tools/list\",\"params\":{" +
         (modern() ? meta() : "") + "}}";
}
static string message_for(long id) {
  string m = "m" + std::to_string(id) + "-";
  if (m.size() < O.payload) m.append(O.payload - m.size(), 'x');
  return m;
}
static const char* op_method() {
  return O.op == "call" ? "tools/call" : modern() ? "server/discover" : "ping";
}
static string op_name() {
  return O.op == "call" ? O.tool : "";
}
static string body_call(long id) {
  if (O.op == "ping")
    return "{\"jsonrpc\":\"2.0\",\"id\":" + std::to_string(id) + ",\"method\":\"" + op_method() + "\"" +
           (modern() ? ",\"params\":{" + meta() + "}" : string()) + "}";
  return "{\"jsonrpc\":\"2.0\",\"id\":" + std::to_string(id) + ",\"method\":\"tools/call\",\"params\":{\"name\":" + jq(O.tool) +
         ",\"arguments\":" + subst(O.args, "{m}", message_for(id)) + (modern() ? "," + meta() : "") + "}}";
}

// ----------------------------------------------------------- answer checking
struct Stats {
  uint64_t ok = 0, bad = 0, json = 0, sse = 0, reconnects = 0, bytes_in = 0;
  std::map<string, uint64_t> why;
  vector<uint32_t> lat_ns10;  // 10 ns units
  string server_name, server_version, negotiated;
  void err(const string& w) {
    bad++;
    if (why.size() < 20 || why.count(w)) why[w]++;
  }
} S;

// Returns 1 when `text` is the response to `id`, 0 when it is another message, -1 on a wrong answer.
static int check_message(const string& text, long id, const char* what, Json* keep = nullptr) {
  Json j;
  if (!JsonParser(text).parse(j)) {
    S.err(string(what) + ": not JSON");
    return -1;
  }
  const Json* ver = j.get("jsonrpc");
  if (!ver || ver->raw != "2.0") {
    S.err(string(what) + ": jsonrpc member");
    return -1;
  }
  const Json* jid = j.get("id");
  if (j.get("method")) return 0;  // notification or server request: not ours
  if (!jid || jid->kind != Json::Num || jid->raw != std::to_string(id)) {
    S.err(string(what) + ": id mismatch");
    return -1;
  }
  if (const Json* er = j.get("error")) {
    const Json* c = er->get("code");
    S.err(string(what) + ": error " + (c ? c->raw : "?"));
    return -1;
  }
  const Json* r = j.get("result");
  if (!r || r->kind != Json::Obj) {
    S.err(string(what) + ": no result");
    return -1;
  }
  if (modern()) {
    const Json* rt = r->get("resultType");
    if (!rt || rt->raw != "complete") {
      S.err(string(what) + ": resultType");
      return -1;
    }
  }
  if (keep) *keep = j;
  return 1;
}
static int check_call(const string& text, long id) {
  Json j;
  int k = check_message(text, id, op_method(), &j);
  if (k != 1 || O.op == "ping") return k;
  const Json* r = j.get("result");
  const Json* ie = r->get("isError");
  if (ie && ie->b) {
    S.err("tools/call: isError");
    return -1;
  }
  const Json* c = r->get("content");
  const Json* c0 = c ? c->at(0) : nullptr;
  if (!c0) {
    S.err("tools/call: empty content");
    return -1;
  }
  if (!O.expect_any) {
    const Json* t = c0->get("text");
    if (!t || t->raw != subst(O.expect, "{m}", message_for(id))) {
      S.err("tools/call: wrong text");
      return -1;
    }
  }
  return 1;
}
static int check_list(const string& text, long id) {
  Json j;
  int k = check_message(text, id, "tools/list", &j);
  if (k != 1) return k;
  if (const Json* mt = j.get("result")->get("_meta"))
    if (const Json* si = mt->get("io.modelcontextprotocol/serverInfo")) {
      if (const Json* n = si->get("name")) S.server_name = n->raw;
      if (const Json* n = si->get("version")) S.server_version = n->raw;
    }
  const Json* t = j.get("result")->get("tools");
  if (t)
    for (auto& x : t->arr)
      if (const Json* n = x.get("name"))
        if (n->raw == O.tool) return 1;
  S.err("tools/list: tool not listed");
  return -1;
}
static int check_init(const string& text, long id) {
  Json j;
  int k = check_message(text, id, "initialize", &j);
  if (k != 1) return k;
  const Json* r = j.get("result");
  if (const Json* v = r->get("protocolVersion")) S.negotiated = v->raw;
  if (const Json* si = r->get("serverInfo")) {
    if (const Json* n = si->get("name")) S.server_name = n->raw;
    if (const Json* n = si->get("version")) S.server_version = n->raw;
  }
  return S.negotiated.empty() ? (S.err("initialize: no version"), -1) : 1;
}

// ------------------------------------------------------------ process support
struct Child {
  pid_t pid = -1;
  int in = -1, out = -1;  // stdio transport only
};
static vector<string> split(const string& s) {
  vector<string> v;
  string cur;
  char q = 0;
  bool any = false;
  for (char c : s) {
    if (q) {
      if (c == q)
        q = 0;
      else
        cur += c;
    } else if (c == '\'' || c == '"') {
      q = c;
      any = true;
    } else if (c == ' ') {
      if (any || !cur.empty()) v.push_back(cur);
      cur.clear();
      any = false;
    } else
      cur += c;
  }
  if (any || !cur.empty()) v.push_back(cur);
  return v;
}
static Child spawn(const string& cmd, bool pipes) {
  int a[2], b[2];
  if (pipes && (pipe2(a, O_CLOEXEC) || pipe2(b, O_CLOEXEC))) die("pipe");
  vector<string> av = split(cmd);
  if (av.empty()) die("empty --cmd");
  pid_t pid = fork();
  if (pid < 0) die("fork");
  if (pid == 0) {
    setsid();
    if (pipes) {
      dup2(a[0], 0);
      dup2(b[1], 1);
    } else {
      int n = open("/dev/null", O_RDWR);
      dup2(n, 0);
      dup2(n, 1);
    }
    if (!getenv("MCP_LOAD_STDERR")) {
      int n = open("/dev/null", O_WRONLY);
      dup2(n, 2);
    }
    vector<char*> argv;
    for (auto& s : av) argv.push_back(&s[0]);
    argv.push_back(nullptr);
    execvp(argv[0], argv.data());
    _exit(127);
  }
  Child c;
  c.pid = pid;
  if (pipes) {
    close(a[0]);
    close(b[1]);
    c.in = a[1];
    c.out = b[0];
  }
  return c;
}
static void stop(Child& c) {  // ends only the process group this program started
  if (c.pid <= 0) return;
  if (c.in >= 0) close(c.in);
  if (c.out >= 0) close(c.out);
  kill(-c.pid, SIGTERM);
  for (int i = 0; i < 200; i++) {
    if (waitpid(c.pid, nullptr, WNOHANG) == c.pid) {
      kill(-c.pid, SIGKILL);
      c.pid = -1;
      return;
    }
    usleep(10000);
  }
  kill(-c.pid, SIGKILL);
  waitpid(c.pid, nullptr, 0);
  c.pid = -1;
}
struct Usage {
  long rss = 0, hwm = 0, pss = 0;
  int threads = 0, procs = 0;
  double cpu = 0;
};
static string slurp(const string& f) {
  string o;
  int fd = open(f.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return o;
  char b[8192];
  ssize_t n;
  while ((n = read(fd, b, sizeof b)) > 0) o.append(b, n);
  close(fd);
  return o;
}
static long kv(const string& s, const char* k) {
  size_t i = s.find(k);
  return i == string::npos ? 0 : atol(s.c_str() + i + strlen(k));
}
static Usage usage(pid_t root) {  // root and all descendants
  Usage u;
  if (root <= 0) return u;
  std::map<pid_t, pid_t> parent;
  if (DIR* d = opendir("/proc")) {
    while (dirent* e = readdir(d)) {
      pid_t p = atoi(e->d_name);
      if (p <= 0) continue;
      string st = slurp("/proc/" + std::to_string(p) + "/stat");
      size_t i = st.rfind(')');
      if (i != string::npos && i + 4 < st.size()) parent[p] = atoi(st.c_str() + i + 4);
    }
    closedir(d);
  }
  for (auto& kvp : parent) {
    pid_t p = kvp.first;
    bool mine = false;
    for (int hop = 0; p > 1 && hop < 32; hop++) {
      if (p == root) {
        mine = true;
        break;
      }
      auto it = parent.find(p);
      if (it == parent.end()) break;
      p = it->second;
    }
    if (!mine) continue;
    string base = "/proc/" + std::to_string(kvp.first);
    string st = slurp(base + "/status");
    u.rss += kv(st, "VmRSS:");
    u.hwm += kv(st, "VmHWM:");
    u.threads += kv(st, "Threads:");
    u.pss += kv(slurp(base + "/smaps_rollup"), "\nPss:");
    u.procs++;
    string s = slurp(base + "/stat");
    size_t i = s.rfind(')');
    if (i != string::npos) {
      vector<string> f = split(s.substr(i + 2));
      if (f.size() > 12) u.cpu += (atof(f[11].c_str()) + atof(f[12].c_str())) / sysconf(_SC_CLK_TCK);
    }
  }
  return u;
}
static int free_port() {
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in a{};
  a.sin_family = AF_INET;
  a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t n = sizeof a;
  if (bind(fd, (sockaddr*)&a, n) || getsockname(fd, (sockaddr*)&a, &n)) die("free port");
  close(fd);
  return ntohs(a.sin_port);
}

// ----------------------------------------------------------------- HTTP client
struct Resp {  // incremental HTTP/1.1 response parser
  enum St { Head, Len, ChunkSize, ChunkData, ChunkEnd, Trailer, Close, Done } st = Head;
  string head, body;
  int status = 0;
  size_t need = 0;
  bool chunked = false, sse = false, keep = true;
  string session, line;
  void reset() { *this = Resp(); }
  static string lower(string s) {
    for (auto& c : s) c = tolower(c);
    return s;
  }
  void headers() {
    size_t i = head.find("\r\n");
    status = atoi(head.c_str() + 9);
    bool len = false;
    while (i != string::npos) {
      size_t b = i + 2, e = head.find("\r\n", b);
      if (e == string::npos || e == b) break;
      size_t c = head.find(':', b);
      if (c < e) {
        string k = lower(head.substr(b, c - b));
        size_t v = c + 1;
        while (v < e && head[v] == ' ') v++;
        string val = head.substr(v, e - v);
        if (k == "content-length") {
          need = strtoul(val.c_str(), nullptr, 10);
          len = true;
        } else if (k == "transfer-encoding")
          chunked = lower(val).find("chunked") != string::npos;
        else if (k == "content-type")
          sse = lower(val).find("text/event-stream") != string::npos;
        else if (k == "mcp-session-id")
          session = val;
        else if (k == "connection")
          keep = lower(val) != "close";
      }
      i = e;
    }
    if (status == 202 || status == 204) {
      if (!len && !chunked) need = 0, len = true;
    }
    st = chunked ? ChunkSize : len ? (need ? Len : Done) : Close;
  }
  size_t feed(const char* p, size_t n) {
    size_t o = 0;
    while (o < n && st != Done) switch (st) {
        case Head: {
          size_t before = head.size();
          head.append(p + o, n - o);
          size_t k = head.find("\r\n\r\n", before > 3 ? before - 3 : 0);
          if (k == string::npos) {
            o = n;
            break;
          }
          o += k + 4 - before;
          head.resize(k + 4);
          if (atoi(head.c_str() + 9) == 100) {
            head.clear();
            break;
          }
          headers();
          break;
        }
        case Len:
        case ChunkData: {
          size_t k = std::min(need, n - o);
          body.append(p + o, k);
          o += k;
          need -= k;
          if (!need) st = st == Len ? Done : ChunkEnd;
          break;
        }
        case Close:
          body.append(p + o, n - o);
          o = n;
          break;
        case ChunkSize:
        case ChunkEnd:
        case Trailer: {
          char c = p[o++];
          if (c != '\n') {
            if (c != '\r') line += c;
            break;
          }
          if (st == ChunkEnd)
            st = ChunkSize;
          else if (st == ChunkSize) {
            need = strtoul(line.c_str(), nullptr, 16);
            st = need ? ChunkData : Trailer;
          } else if (line.empty())
            st = Done;
          line.clear();
          break;
        }
        default:
          break;
      }
    return o;
  }
};
// Pulls complete SSE events out of body[from..]; returns data payloads.
static void sse_events(const string& b, size_t& from, vector<string>& out) {
  for (;;) {
    size_t e1 = b.find("\n\n", from), e2 = b.find("\r\n\r\n", from), e = std::min(e1, e2);
    if (e == string::npos) return;
    size_t skip = e == e2 && e2 < e1 ? 4 : 2, i = from;
    string data;
    bool any = false;
    while (i < e) {
      size_t nl = b.find('\n', i);
      if (nl > e) nl = e;
      size_t le = nl;
      if (le > i && b[le - 1] == '\r') le--;
      if (!b.compare(i, 5, "data:")) {
        size_t v = i + 5;
        if (v < le && b[v] == ' ') v++;
        if (any) data += '\n';
        data.append(b, v, le - v);
        any = true;
      }
      i = nl + 1;
    }
    if (any && !data.empty()) out.push_back(data);
    from = e + skip;
  }
}

static int tcp_connect(bool nonblock) {
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in a{};
  a.sin_family = AF_INET;
  a.sin_port = htons(O.port);
  inet_pton(AF_INET, O.host.c_str(), &a.sin_addr);
  if (connect(fd, (sockaddr*)&a, sizeof a)) {
    close(fd);
    return -1;
  }
  int one = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  if (nonblock) fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
  return fd;
}
static string http_post(const string& body, const char* method, const string& name, const string& session) {
  string r = "POST " + O.path + " HTTP/1.1\r\nHost: " + O.host + ":" + std::to_string(O.port) +
             "\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n";
  if (strcmp(method, "initialize"))
    r += "MCP-Protocol-Version: " + (modern() ? O.version : S.negotiated) + "\r\n";
  else if (O.version_on_init)
    r += "MCP-Protocol-Version: " + O.version + "\r\n";
  if (modern()) {
    r += string("Mcp-Method: ") + method + "\r\n";
    if (!name.empty()) r += "Mcp-Name: " + name + "\r\n";
  } else if (!session.empty())
    r += "Mcp-Session-Id: " + session + "\r\n";
  return r + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}
// Blocking exchange used for set-up; returns false on transport failure.
static bool exchange(int fd, const string& req, Resp& r, double timeout) {
  r.reset();
  for (size_t o = 0; o < req.size();) {
    ssize_t n = write(fd, req.data() + o, req.size() - o);
    if (n <= 0) return false;
    o += n;
  }
  uint64_t end = now_ns() + uint64_t(timeout * 1e9);
  char b[65536];
  while (r.st != Resp::Done) {
    int left = int((int64_t(end) - int64_t(now_ns())) / 1000000);
    if (left <= 0) return false;
    pollfd pf{fd, POLLIN, 0};
    if (poll(&pf, 1, left) <= 0) return false;
    ssize_t n = read(fd, b, sizeof b);
    if (n < 0 && errno == EAGAIN) continue;
    if (n < 0) return false;
    if (n == 0) {
      r.keep = false;
      return r.st == Resp::Close;
    }
    r.feed(b, n);
  }
  return true;
}
static string first_message(const Resp& r, long id) {  // JSON body, or the SSE event carrying `id`
  if (!r.sse) return r.body;
  vector<string> ev;
  size_t from = 0;
  sse_events(r.body, from, ev);
  for (auto& e : ev)
    if (e.find("\"id\":" + std::to_string(id)) != string::npos && e.find("\"method\"") == string::npos) return e;
  return ev.empty() ? "" : ev.back();
}
// Opens a connection and, in the legacy era, a session on it.
static bool open_client(int& fd, string& session, double timeout) {
  Resp r;
  if (fd < 0) fd = tcp_connect(false);
  if (fd < 0) {
    S.err("connect");
    return false;
  }
  if (modern()) return true;
  if (!exchange(fd, http_post(body_initialize(1), "initialize", "", ""), r, timeout)) {
    S.err("initialize: transport");
    return false;
  }
  if (r.status != 200) {
    S.err("initialize: HTTP " + std::to_string(r.status));
    return false;
  }
  if (check_init(first_message(r, 1), 1) != 1) return false;
  session = r.session;
  if (!r.keep) {
    close(fd);
    fd = tcp_connect(false);
  }
  if (!exchange(fd, http_post(BODY_INITIALIZED, "notifications/initialized", "", session), r, timeout) || r.status / 100 != 2) {
    S.err("initialized: HTTP " + std::to_string(r.status));
    return false;
  }
  if (!r.keep) {
    close(fd);
    fd = tcp_connect(false);
  }
  return fd >= 0;
}
static bool list_once(int& fd, const string& session, double timeout) {
  Resp r;
  if (!exchange(fd, http_post(body_list(2), "tools/list", "", session), r, timeout)) {
    S.err("tools/list: transport");
    return false;
  }
  if (r.status != 200) {
    S.err("tools/list: HTTP " + std::to_string(r.status));
    return false;
  }
  bool ok = check_list(first_message(r, 2), 2) == 1;
  if (!r.keep) {
    close(fd);
    fd = tcp_connect(false);
  }
  return ok;
}

struct Conn {
  int fd = -1;
  string session, out;
  size_t off = 0, sse_from = 0;
  long id = 0;
  uint64_t t0 = 0;
  bool answered = false, idle = true;
  Resp r;
};

static void load_http(vector<Conn>& cs, long total, double seconds, bool record) {
  int ep = epoll_create1(EPOLL_CLOEXEC);
  static long next_id = 1000;
  long issued = 0;
  uint64_t end = seconds > 0 ? now_ns() + uint64_t(seconds * 1e9) : ~0ull;
  uint64_t hard = now_ns() + uint64_t((seconds > 0 ? seconds : 0) * 1e9 + O.timeout * 1e9);
  size_t active = 0;
  auto arm = [&](Conn& c, bool out, int op) {
    epoll_event ev{};
    ev.events = EPOLLIN | (out ? uint32_t(EPOLLOUT) : 0u);
    ev.data.ptr = &c;
    epoll_ctl(ep, op, c.fd, &ev);
  };
  auto flush = [&](Conn& c) {
    while (c.off < c.out.size()) {
      ssize_t n = write(c.fd, c.out.data() + c.off, c.out.size() - c.off);
      if (n < 0 && errno == EAGAIN) {
        arm(c, true, EPOLL_CTL_MOD);
        return;
      }
      if (n <= 0) return;
      c.off += n;
    }
  };
  auto send_next = [&](Conn& c) {
    if ((total > 0 && issued >= total) || now_ns() >= end) {
      c.idle = true;
      active--;
      return;
    }
    issued++;
    c.id = next_id++;
    c.out = http_post(body_call(c.id), op_method(), op_name(), c.session);
    c.off = 0;
    c.sse_from = 0;
    c.answered = false;
    c.r.reset();
    c.t0 = now_ns();
    flush(c);
  };
  for (auto& c : cs) {
    fcntl(c.fd, F_SETFL, fcntl(c.fd, F_GETFL) | O_NONBLOCK);
    arm(c, false, EPOLL_CTL_ADD);
    c.idle = false;
    active++;
  }
  for (auto& c : cs) send_next(c);
  auto answer = [&](Conn& c, const string& text) {
    int k = check_call(text, c.id);
    if (k == 0) return;
    c.answered = true;
    if (k == 1) {
      S.ok++;
      if (record) S.lat_ns10.push_back(uint32_t(std::min<uint64_t>((now_ns() - c.t0) / 10, 0xffffffffu)));
    }
  };
  char buf[65536];
  epoll_event evs[128];
  while (active) {
    int n = epoll_wait(ep, evs, 128, 1000);
    if (now_ns() > hard) {
      for (auto& c : cs)
        if (!c.idle) S.err("tools/call: timeout");
      break;
    }
    for (int i = 0; i < n; i++) {
      Conn& c = *static_cast<Conn*>(evs[i].data.ptr);
      if (c.idle) continue;
      if (evs[i].events & EPOLLOUT) {
        arm(c, false, EPOLL_CTL_MOD);
        flush(c);
      }
      if (!(evs[i].events & (EPOLLIN | EPOLLHUP | EPOLLERR))) continue;
      ssize_t k = read(c.fd, buf, sizeof buf);
      if (k < 0 && errno == EAGAIN) continue;
      bool closed = k <= 0;
      if (!closed) {
        S.bytes_in += k;
        c.r.feed(buf, k);
      }
      if (closed && c.r.st == Resp::Close) c.r.st = Resp::Done;
      if (c.r.st != Resp::Head && c.r.sse && !c.answered) {
        vector<string> ev;
        sse_events(c.r.body, c.sse_from, ev);
        for (auto& e : ev)
          if (!c.answered) answer(c, e);
      }
      bool done = c.r.st == Resp::Done;
      if (done) {
        if (c.r.status != 200) {
          S.err("tools/call: HTTP " + std::to_string(c.r.status));
          c.answered = true;
        } else if (!c.r.sse && !c.answered)
          answer(c, c.r.body);
        if (!c.answered) S.err("tools/call: no answer in response");
        (c.r.sse ? S.sse : S.json)++;
      } else if (closed)
        S.err("tools/call: connection closed early");
      if (closed || (done && !c.r.keep)) {
        close(c.fd);
        c.fd = tcp_connect(true);
        S.reconnects++;
        if (c.fd < 0) {
          S.err("reconnect");
          c.idle = true;
          active--;
          continue;
        }
        arm(c, false, EPOLL_CTL_ADD);
        send_next(c);
      } else if (done)
        send_next(c);
    }
  }
  for (auto& c : cs)
    if (c.fd >= 0) epoll_ctl(ep, EPOLL_CTL_DEL, c.fd, nullptr);
  close(ep);
}

// ---------------------------------------------------------------- stdio client
struct Pipe {
  Child ch;
  string buf;
  bool line(string& out, double timeout) {
    uint64_t end = now_ns() + uint64_t(timeout * 1e9);
    for (;;) {
      size_t nl = buf.find('\n');
      if (nl != string::npos) {
        out.assign(buf, 0, nl);
        buf.erase(0, nl + 1);
        if (!out.empty() && out.back() == '\r') out.pop_back();
        if (out.empty()) continue;
        return true;
      }
      int left = int((int64_t(end) - int64_t(now_ns())) / 1000000);
      if (left <= 0) return false;
      pollfd pf{ch.out, POLLIN, 0};
      if (poll(&pf, 1, left) <= 0) return false;
      char b[65536];
      ssize_t n = read(ch.out, b, sizeof b);
      if (n <= 0) return false;
      S.bytes_in += n;
      buf.append(b, n);
    }
  }
  bool send(string s) {
    s += '\n';
    for (size_t o = 0; o < s.size();) {
      ssize_t n = write(ch.in, s.data() + o, s.size() - o);
      if (n <= 0) return false;
      o += n;
    }
    return true;
  }
};
static bool stdio_open(Pipe& p, double timeout) {
  if (modern()) return true;
  string l;
  if (!p.send(body_initialize(1))) {
    S.err("initialize: write");
    return false;
  }
  for (;;) {
    if (!p.line(l, timeout)) {
      S.err("initialize: no answer");
      return false;
    }
    int k = check_init(l, 1);
    if (k < 0) return false;
    if (k == 1) break;
  }
  return p.send(BODY_INITIALIZED);
}
static bool stdio_list(Pipe& p, double timeout) {
  string l;
  if (!p.send(body_list(2))) {
    S.err("tools/list: write");
    return false;
  }
  for (;;) {
    if (!p.line(l, timeout)) {
      S.err("tools/list: no answer");
      return false;
    }
    int k = check_list(l, 2);
    if (k) return k == 1;
  }
}
static void load_stdio(Pipe& p, int inflight, long total, double seconds, bool record) {
  static long next_id = 1000;
  std::map<long, uint64_t> open;
  uint64_t end = seconds > 0 ? now_ns() + uint64_t(seconds * 1e9) : ~0ull;
  long issued = 0;
  auto more = [&]() { return !(total > 0 && issued >= total) && now_ns() < end; };
  auto fill = [&]() {
    string batch;
    while (int(open.size()) < inflight && more()) {
      long id = next_id++;
      issued++;
      open[id] = now_ns();
      batch += body_call(id) + "\n";
    }
    if (!batch.empty()) {
      batch.pop_back();
      p.send(batch);
    }
  };
  fill();
  string l;
  while (!open.empty()) {
    if (!p.line(l, O.timeout)) {
      S.err("tools/call: no answer");
      return;
    }
    uint64_t t = now_ns();
    Json j;
    if (!JsonParser(l).parse(j)) {
      S.err("tools/call: not JSON");
      continue;
    }
    if (j.get("method")) continue;
    const Json* id = j.get("id");
    auto it = id && id->kind == Json::Num ? open.find(atol(id->raw.c_str())) : open.end();
    if (it == open.end()) {
      S.err("tools/call: unexpected id");
      continue;
    }
    if (check_call(l, it->first) == 1) {
      S.ok++;
      if (record) S.lat_ns10.push_back(uint32_t(std::min<uint64_t>((t - it->second) / 10, 0xffffffffu)));
    }
    S.json++;
    open.erase(it);
    fill();
  }
}

// ------------------------------------------------------------------- reporting
static double pct(const vector<uint32_t>& v, double q) {
  if (v.empty()) return 0;
  size_t i = std::min(v.size() - 1, size_t(q * (v.size() - 1) + 0.5));
  return v[i] / 100.0;  // microseconds
}
static double q_of(vector<double> v, double q) {
  if (v.empty()) return 0;
  std::sort(v.begin(), v.end());
  return v[std::min(v.size() - 1, size_t(q * (v.size() - 1) + 0.5))];
}
static double self_cpu() {
  rusage r;
  getrusage(RUSAGE_SELF, &r);
  return r.ru_utime.tv_sec + r.ru_stime.tv_sec + (r.ru_utime.tv_usec + r.ru_stime.tv_usec) / 1e6;
}

static double start_once(Child& ch, Pipe* pipe_out) {  // ms to first correct tools/list answer
  uint64_t t0 = now_ns();
  if (O.transport == "stdio") {
    pipe_out->buf.clear();
    pipe_out->ch = spawn(O.cmd, true);
    ch = pipe_out->ch;
    if (!stdio_open(*pipe_out, O.timeout) || !stdio_list(*pipe_out, O.timeout)) return -1;
  } else {
    O.port = free_port();
    ch = spawn(subst(O.cmd, "{port}", std::to_string(O.port)), false);
    int fd = -1;
    while ((fd = tcp_connect(false)) < 0) {
      if (now_ns() - t0 > uint64_t(O.timeout * 1e9)) {
        S.err("server did not listen");
        return -1;
      }
      if (waitpid(ch.pid, nullptr, WNOHANG) == ch.pid) {
        S.err("server exited");
        ch.pid = -1;
        return -1;
      }
      usleep(500);
    }
    string session;
    bool ok = open_client(fd, session, O.timeout) && list_once(fd, session, O.timeout);
    if (fd >= 0) close(fd);
    if (!ok) return -1;
  }
  return (now_ns() - t0) / 1e6;
}

int main(int argc, char** argv) {
  signal(SIGPIPE, SIG_IGN);
  for (int i = 1; i < argc; i++) {
    string a = argv[i];
    auto val = [&]() -> string {
      if (++i >= argc) die("missing value for " + a);
      return argv[i];
    };
    if (a == "--mode")
      O.mode = val();
    else if (a == "--transport")
      O.transport = val();
    else if (a == "--era")
      O.era = val();
    else if (a == "--version")
      O.version = val();
    else if (a == "--label")
      O.label = val();
    else if (a == "--cmd")
      O.cmd = val();
    else if (a == "--port")
      O.port = atoi(val().c_str());
    else if (a == "--host")
      O.host = val();
    else if (a == "--path")
      O.path = val();
    else if (a == "--pid")
      O.pid = atoi(val().c_str());
    else if (a == "--conns")
      O.conns = atoi(val().c_str());
    else if (a == "--runs")
      O.runs = atoi(val().c_str());
    else if (a == "--requests")
      O.requests = atol(val().c_str());
    else if (a == "--warmup")
      O.warmup = atol(val().c_str());
    else if (a == "--duration")
      O.duration = atof(val().c_str());
    else if (a == "--timeout")
      O.timeout = atof(val().c_str());
    else if (a == "--op")
      O.op = val();
    else if (a == "--tool")
      O.tool = val();
    else if (a == "--args")
      O.args = val();
    else if (a == "--expect")
      O.expect = val();
    else if (a == "--expect-any")
      O.expect_any = true;
    else if (a == "--version-on-init")
      O.version_on_init = true;  // for peers that wrongly demand it
    else if (a == "--payload")
      O.payload = strtoul(val().c_str(), nullptr, 10);
    else if (a == "--session")
      O.session = val();
    else
      die("unknown option " + a);
  }
  if (O.version.empty()) O.version = modern() ? "2026-07-28" : "2025-11-25";
  if (O.transport == "stdio" && O.cmd.empty()) die("stdio needs --cmd");
  if (O.cmd.empty() && !O.port) die("give --cmd (with {port}) or --port");
  if (O.conns < 1) die("--conns");
  if (O.op != "call" && O.op != "ping") die("--op call|ping");
  if (O.transport != "http" && O.transport != "stdio") die("--transport http|stdio");
  if (O.era != "legacy" && O.era != "modern") die("--era legacy|modern");

  Child ch;
  Pipe pp;
  vector<double> starts;
  Usage idle, after;
  int launches = O.mode == "startup" ? O.runs : 1;
  bool ready = true;
  if (!O.cmd.empty()) {
    for (int k = 0; k < launches; k++) {
      if (k) stop(ch);
      double ms = start_once(ch, &pp);
      if (ms < 0) {
        ready = false;
        break;
      }
      starts.push_back(ms);
    }
    usleep(200000);
    idle = usage(ch.pid);
    O.pid = ch.pid;
  } else if (O.pid)
    idle = usage(O.pid);

  double wall = 0, cpu = 0, ccpu = 0;
  uint64_t ok0 = 0;
  if (ready && O.mode == "load") {
    vector<Conn> cs(O.transport == "http" ? O.conns : 0);
    string shared;
    for (size_t i = 0; i < cs.size() && ready; i++) {
      if (O.session == "shared" && i && !modern()) {
        cs[i].session = shared;
        cs[i].fd = tcp_connect(false);
      } else
        ready = open_client(cs[i].fd, cs[i].session, O.timeout);
      shared = cs[i].session;
    }
    auto go = [&](long n, double s, bool rec) {
      if (O.transport == "http")
        load_http(cs, n, s, rec);
      else
        load_stdio(pp, O.conns, n, s, rec);
    };
    if (ready && O.warmup > 0) go(O.warmup, 0, false);
    if (ready && !S.bad) {
      ok0 = S.ok;
      S.json = S.sse = 0;
      double c0 = usage(O.pid).cpu, m0 = self_cpu();
      uint64_t t0 = now_ns();
      go(O.requests, O.requests > 0 ? 0 : O.duration, true);
      wall = (now_ns() - t0) / 1e9;
      after = usage(O.pid);
      cpu = after.cpu - c0;
      ccpu = self_cpu() - m0;
    }
    for (auto& c : cs)
      if (c.fd >= 0) close(c.fd);
  }
  stop(ch);

  uint64_t done = S.ok - ok0;
  auto& L = S.lat_ns10;
  std::sort(L.begin(), L.end());
  double mean = 0;
  for (auto x : L) mean += x / 100.0;
  if (!L.empty()) mean /= L.size();
  string why = "{";
  for (auto& w : S.why) why += (why.size() > 1 ? "," : "") + jq(w.first) + ":" + std::to_string(w.second);
  printf("{\"label\":%s,\"mode\":%s,\"transport\":%s,\"era\":%s,\"version\":%s,\"server\":%s,", jq(O.label).c_str(),
         jq(O.mode).c_str(), jq(O.transport).c_str(), jq(O.era).c_str(), jq(modern() ? O.version : S.negotiated).c_str(),
         jq(S.server_name + " " + S.server_version).c_str());
  printf("\"correct\":%s,\"errors\":%llu,\"error_kinds\":%s},", S.bad || !ready ? "false" : "true", (unsigned long long)S.bad,
         why.c_str());
  if (!starts.empty())
    printf("\"startup_ms\":{\"runs\":%zu,\"min\":%.2f,\"p50\":%.2f,\"max\":%.2f},", starts.size(), q_of(starts, 0),
           q_of(starts, .5), q_of(starts, 1));
  printf("\"mem_kb\":{\"rss_idle\":%ld,\"pss_idle\":%ld,\"rss_after\":%ld,\"rss_peak\":%ld},\"threads\":%d,\"procs\":%d,",
         idle.rss, idle.pss, after.rss, after.hwm ? after.hwm : idle.hwm, after.threads ? after.threads : idle.threads,
         idle.procs);
  printf("\"concurrency\":%d,\"requests\":%llu,\"wall_s\":%.4f,\"rps\":%.1f,", O.conns, (unsigned long long)done, wall,
         wall > 0 ? done / wall : 0);
  printf("\"latency_us\":{\"p50\":%.1f,\"p90\":%.1f,\"p99\":%.1f,\"p999\":%.1f,\"max\":%.1f,\"mean\":%.1f},", pct(L, .5),
         pct(L, .9), pct(L, .99), pct(L, .999), pct(L, 1), mean);
  printf("\"server_cpu_us_per_req\":%.2f,\"client_cpu_us_per_req\":%.2f,\"server_cores\":%.2f,", done ? cpu * 1e6 / done : 0,
         done ? ccpu * 1e6 / done : 0, wall > 0 ? cpu / wall : 0);
  printf("\"responses\":{\"json\":%llu,\"sse\":%llu},\"reconnects\":%llu}\n", (unsigned long long)S.json,
         (unsigned long long)S.sse, (unsigned long long)S.reconnects);
  return S.bad || !ready ? 1 : 0;
}
