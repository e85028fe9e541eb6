#pragma once

// libpq, loaded when the first PostgreSQL store is opened: it brings a dozen other libraries with it, and most who start this
// program keep their sessions in a file.

#include "base/result.h"

#include <libpq-fe.h>

namespace holdfast::store::postgres {

struct Libpq {
  decltype(&PQconnectdbParams) connectdbParams = nullptr;
  decltype(&PQfinish) finish = nullptr;
  decltype(&PQstatus) status = nullptr;
  decltype(&PQsocket) socket = nullptr;
  decltype(&PQerrorMessage) errorMessage = nullptr;
  decltype(&PQserverVersion) serverVersion = nullptr;
  decltype(&PQconninfoParse) conninfoParse = nullptr;
  decltype(&PQconninfoFree) conninfoFree = nullptr;
  decltype(&PQfreemem) freemem = nullptr;
  decltype(&PQsetNoticeProcessor) setNoticeProcessor = nullptr;
  decltype(&PQexec) exec = nullptr;
  decltype(&PQenterPipelineMode) enterPipelineMode = nullptr;
  decltype(&PQpipelineSync) pipelineSync = nullptr;
  decltype(&PQsendPrepare) sendPrepare = nullptr;
  decltype(&PQsendQueryPrepared) sendQueryPrepared = nullptr;
  decltype(&PQsendQueryParams) sendQueryParams = nullptr;
  decltype(&PQgetResult) getResult = nullptr;
  decltype(&PQresultStatus) resultStatus = nullptr;
  decltype(&PQresultErrorField) resultErrorField = nullptr;
  decltype(&PQclear) clear = nullptr;
  decltype(&PQntuples) ntuples = nullptr;
  decltype(&PQgetvalue) getvalue = nullptr;
  decltype(&PQgetlength) getlength = nullptr;
  decltype(&PQgetisnull) getisnull = nullptr;
  decltype(&PQcmdTuples) cmdTuples = nullptr;
  decltype(&PQconsumeInput) consumeInput = nullptr;
  decltype(&PQnotifies) notifies = nullptr;

  // Any thread. unavailable when it is not installed.
  static Result<const Libpq*> load();
};

}  // namespace holdfast::store::postgres
