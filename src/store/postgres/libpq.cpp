#include "store/postgres/libpq.h"

#include <dlfcn.h>

#include <string>

namespace holdfast::store::postgres {
namespace {

constexpr const char* kFile = "libpq.so.5";
constexpr const char* kHint = "install it (Debian: libpq5), version 14 or newer";

Result<Libpq> open_library() {
  void* library = ::dlopen(kFile, RTLD_NOW | RTLD_LOCAL);
  if (!library) return fail(ErrorKind::unavailable, std::string("cannot load libpq: ") + ::dlerror(), kHint);
  Libpq pq;
  bool complete = true;
  const auto find = [&](const char* name, auto& function) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(library, name));
    complete = complete && function != nullptr;
  };
  find("PQconnectdbParams", pq.connectdbParams);
  find("PQfinish", pq.finish);
  find("PQstatus", pq.status);
  find("PQsocket", pq.socket);
  find("PQerrorMessage", pq.errorMessage);
  find("PQserverVersion", pq.serverVersion);
  find("PQconninfoParse", pq.conninfoParse);
  find("PQconninfoFree", pq.conninfoFree);
  find("PQfreemem", pq.freemem);
  find("PQsetNoticeProcessor", pq.setNoticeProcessor);
  find("PQexec", pq.exec);
  find("PQenterPipelineMode", pq.enterPipelineMode);
  find("PQpipelineSync", pq.pipelineSync);
  find("PQsendPrepare", pq.sendPrepare);
  find("PQsendQueryPrepared", pq.sendQueryPrepared);
  find("PQsendQueryParams", pq.sendQueryParams);
  find("PQgetResult", pq.getResult);
  find("PQresultStatus", pq.resultStatus);
  find("PQresultErrorField", pq.resultErrorField);
  find("PQclear", pq.clear);
  find("PQntuples", pq.ntuples);
  find("PQgetvalue", pq.getvalue);
  find("PQgetlength", pq.getlength);
  find("PQgetisnull", pq.getisnull);
  find("PQcmdTuples", pq.cmdTuples);
  find("PQconsumeInput", pq.consumeInput);
  find("PQnotifies", pq.notifies);
  if (!complete) return fail(ErrorKind::unavailable, std::string(kFile) + " lacks functions that we need", kHint);
  return pq;
}

}  // namespace

Result<const Libpq*> Libpq::load() {
  static const Result<Libpq> library = open_library();
  if (!library) return fail(library.error());
  return &*library;
}

}  // namespace holdfast::store::postgres
