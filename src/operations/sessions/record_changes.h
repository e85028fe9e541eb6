#pragma once

// Changing the record of a session that the store has: what its operations share.

#include "operations/context.h"
#include "operations/operation.h"
#include "operations/sessions/session_parameters.h"
#include "session/life/lifecycle.h"

#include <functional>

namespace holdfast::operations {

// The record under that id, of those that exist for who asks. Errors: those of catalogue::find; invalid for a transcript, whose
// client owns it.
Result<session::SessionRecord> record_named(Context& context, const std::string& id);

// {session, changed}: how the session stands now, and whether this changed it.
Facts changed_facts(Context& context, const session::Moved& moved);

// Applies a change to what is stored now; one that changes nothing writes nothing, so that rev stands still. {expected_rev} must
// hold. The edit may run more than once. `then`, when given, follows in the same transaction.
using RecordEdit = std::function<Result<bool>(session::SessionRecord&, Millis now)>;
using RecordMove = std::function<Result<session::Moved>(session::Transaction&, const session::SessionRecord&)>;
Result<Facts> change_record(Context& context, const Given& given, const std::string& id, const RecordEdit& edit,
                            const RecordMove& then = {});

// INVALID_STATE_TRANSITION, naming what would be possible, unless the move would change the record.
Result<void> check_move(const session::SessionRecord& record, std::string_view move);

inline constexpr std::array kUpdateParameters{
    kRecord,
    Parameter{.name = "title", .help = "what it is called"},
    Parameter{.name = "description", .help = "what it is about"},
    Parameter{.name = "tags", .type = Parameter::Type::texts, .help = "these tags, and no others"},
    Parameter{.name = "add_tags", .type = Parameter::Type::texts, .help = "these, too"},
    Parameter{.name = "remove_tags", .type = Parameter::Type::texts, .help = "not these any more"},
    Parameter{.name = "pinned", .type = Parameter::Type::choice, .help = "whether nothing happens to it by itself"},
    kExpectedRev,
};
// {title}, {description}, {tags}, {add_tags}, {remove_tags}; true when something changed.
bool edit_common_fields(session::SessionRecord& record, const Given& given);

}  // namespace holdfast::operations
