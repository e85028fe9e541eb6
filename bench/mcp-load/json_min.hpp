// Small JSON reader and string quoter shared by the load generator and the floor server.
#pragma once
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <string>
#include <vector>

using std::string;
using std::vector;

struct Member;

struct Json {
  enum Kind { Null, Bool, Num, Str, Arr, Obj } kind = Null;
  bool b = false;
  double num = 0;
  string raw;  // number text, or decoded string
  vector<Json> arr;
  vector<Member> obj;
  const Json* get(const char* k) const;
  const Json* at(size_t i) const { return kind == Arr && i < arr.size() ? &arr[i] : nullptr; }
};

// clang does not take a std::pair of a type that is not complete yet.
struct Member {
  string name;
  Json value;
};

inline const Json* Json::get(const char* k) const {
  if (kind != Obj) return nullptr;
  for (auto& member : obj)
    if (member.name == k) return &member.value;
  return nullptr;
}

struct JsonParser {
  const char *p, *e;
  int depth = 0;
  bool fail = false;
  explicit JsonParser(const string& s) : p(s.data()), e(s.data() + s.size()) {}
  void ws() {
    while (p < e && (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r')) p++;
  }
  bool lit(const char* s) {
    size_t n = strlen(s);
    if (size_t(e - p) < n || memcmp(p, s, n)) return fail = true, false;
    p += n;
    return true;
  }
  static void utf8(string& o, unsigned c) {
    if (c < 0x80)
      o += char(c);
    else if (c < 0x800) {
      o += char(0xC0 | c >> 6);
      o += char(0x80 | (c & 63));
    } else if (c < 0x10000) {
      o += char(0xE0 | c >> 12);
      o += char(0x80 | (c >> 6 & 63));
      o += char(0x80 | (c & 63));
    } else {
      o += char(0xF0 | c >> 18);
      o += char(0x80 | (c >> 12 & 63));
      o += char(0x80 | (c >> 6 & 63));
      o += char(0x80 | (c & 63));
    }
  }
  unsigned hex4() {
    unsigned v = 0;
    for (int i = 0; i < 4; i++) {
      if (p >= e) {
        fail = true;
        return 0;
      }
      char c = *p++;
      v <<= 4;
      if (c >= '0' && c <= '9')
        v |= c - '0';
      else if (c >= 'a' && c <= 'f')
        v |= c - 'a' + 10;
      else if (c >= 'A' && c <= 'F')
        v |= c - 'A' + 10;
      else {
        fail = true;
        return 0;
      }
    }
    return v;
  }
  string str() {
    string o;
    if (p >= e || *p != '"') {
      fail = true;
      return o;
    }
    p++;
    while (p < e && *p != '"') {
      const char* s = p;
      while (p < e && *p != '"' && *p != '\\') {
        if ((unsigned char)*p < 0x20) fail = true;
        p++;
      }
      o.append(s, p - s);
      if (p < e && *p == '\\') {
        p++;
        if (p >= e) break;
        char c = *p++;
        switch (c) {
          case 'n':
            o += '\n';
            break;
          case 't':
            o += '\t';
            break;
          case 'r':
            o += '\r';
            break;
          case 'b':
            o += '\b';
            break;
          case 'f':
            o += '\f';
            break;
          case 'u': {
            unsigned u = hex4();
            if (u >= 0xD800 && u < 0xDC00 && e - p >= 6 && p[0] == '\\' && p[1] == 'u') {
              p += 2;
              unsigned l = hex4();
              u = 0x10000 + ((u - 0xD800) << 10) + (l - 0xDC00);
            }
            utf8(o, u);
            break;
          }
          default:
            o += c;
        }
      }
    }
    if (p >= e)
      fail = true;
    else
      p++;
    return o;
  }
  Json value() {
    Json j;
    if (++depth > 64) {
      fail = true;
      return j;
    }
    ws();
    if (p >= e)
      fail = true;
    else if (*p == '{') {
      j.kind = Json::Obj;
      p++;
      ws();
      if (p < e && *p == '}')
        p++;
      else
        for (;;) {
          ws();
          string k = str();
          ws();
          if (fail || p >= e || *p != ':') {
            fail = true;
            break;
          }
          p++;
          j.obj.emplace_back(std::move(k), value());
          ws();
          if (fail || p >= e) {
            fail = true;
            break;
          }
          if (*p == ',') {
            p++;
            continue;
          }
          if (*p == '}') {
            p++;
            break;
          }
          fail = true;
          break;
        }
    } else if (*p == '[') {
      j.kind = Json::Arr;
      p++;
      ws();
      if (p < e && *p == ']')
        p++;
      else
        for (;;) {
          j.arr.push_back(value());
          ws();
          if (fail || p >= e) {
            fail = true;
            break;
          }
          if (*p == ',') {
            p++;
            continue;
          }
          if (*p == ']') {
            p++;
            break;
          }
          fail = true;
          break;
        }
    } else if (*p == '"') {
      j.kind = Json::Str;
      j.raw = str();
    } else if (*p == 't') {
      j.kind = Json::Bool;
      j.b = lit("true");
    } else if (*p == 'f') {
      j.kind = Json::Bool;
      lit("false");
    } else if (*p == 'n') {
      lit("null");
    } else {
      const char* s = p;
      while (p < e && (strchr("+-.eE", *p) || (*p >= '0' && *p <= '9'))) p++;
      if (s == p) fail = true;
      j.kind = Json::Num;
      j.raw.assign(s, p - s);
      j.num = strtod(j.raw.c_str(), nullptr);
    }
    depth--;
    return j;
  }
  bool parse(Json& out) {
    out = value();
    ws();
    return !fail && p == e;
  }
};

static string jq(const string& s) {  // JSON quote
  string o = "\"";
  for (unsigned char c : s) {
    if (c == '"' || c == '\\') {
      o += '\\';
      o += char(c);
    } else if (c < 0x20) {
      char b[8];
      snprintf(b, sizeof b, "\\u%04x", c);
      o += b;
    } else
      o += char(c);
  }
  return o + "\"";
}
