// notices, notices-ack, cleanup: what will happen to sessions by itself, and having it happen now.

#include "operations/context.h"
#include "operations/operation.h"
#include "operations/table.h"
#include "session/life/notices.h"
#include "session/life/sweep.h"

namespace holdfast::operations {

namespace {

using enum Parameter::Type;

constexpr std::size_t kListedNotices = 100;  // a person or a model reads all of it

constexpr std::array kNoticesParameters{
    Parameter{.name = "all", .type = choice, .help = "notices: acknowledged ones too; notices-ack: all of them"}};

Result<Facts> notices(Context& context, const Given& given) {
  HF_TRY(session::Store* const store, context.store(true));
  HF_TRY(const session::NoticeList list,
         session::list_notices(*store, context.identity().principal, given.flag("all"), kListedNotices));
  JsonArray notices;
  for (const session::Notice& notice : list.notices) notices.push_back(session::notice_json(notice));
  Facts facts{{"notices", std::move(notices)}, {"count", list.notices.size()}};
  if (list.more > 0) facts["more"] = list.more;
  return facts;
}

constexpr std::array kAcknowledgeParameters{Parameter{.name = "notice_ids", .type = texts, .help = "notices-ack: these"},
                                            kNoticesParameters[0]};

Result<Facts> acknowledge(Context& context, const Given& given) {
  const std::vector<std::string> ids = given.texts("notice_ids");
  if (ids.empty() && !given.flag("all"))
    return fail(ErrorKind::invalid, "{notice_ids} is required", "name the notices, or say {all}: true", "invalid_argument");
  HF_TRY(session::Store* const store, context.store(false));
  HF_TRY(const std::size_t count, session::acknowledge(*store, context.identity().principal, ids));
  return Facts{{"acknowledged", count}};
}

constexpr std::array kCleanupParameters{Parameter{.name = "dry_run", .type = flag, .help = "only say what would happen"}};

// The sweep is the system's own; who asks is told of what they may see.
Result<Facts> clean_up(Context& context, const Given& given) {
  HF_TRY(const WholeStore whole, context.whole_store());
  session::SweepOptions options;
  options.dry_run = given.flag("dry_run");
  options.cancelled = context.cancelled();
  options.seen_by = whole.seen_by;
  HF_TRY(const session::SweepReport report, session::sweep(*whole.store, context.policy(), options));
  Facts facts = session::report_json(report);
  facts["dry_run"] = options.dry_run;
  return facts;
}

constexpr std::array kCare{
    reads("sessions notices", "what will happen by itself, and when", kNoticesParameters, notices),
    changes("sessions notices-ack", "be told no more of it", kAcknowledgeParameters, acknowledge),
    removes("cleanup", "archive, delete and erase what is due", kCleanupParameters, clean_up),
};

}  // namespace

std::span<const Operation> care_operations() {
  return kCare;
}

}  // namespace holdfast::operations
