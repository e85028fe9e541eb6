#pragma once

// What models propose, as values for surfaces that draw the text of a change: the operations `review ...` do the same and return
// facts. All of them work in the folders of Context::documents(), in the name of the person it knows.

#include "kinds/documents/workspace/workspace.h"
#include "operations/parameter.h"

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::operations {

class Context;
struct Documents;

// Those that {path}, {author} and {since} leave.
Result<std::vector<documents::PendingChange>> pending_changes(Context& context, const Given& given);
// Those that the words of {what} name: ids, or paths of documents. Errors: not_found.
Result<std::vector<documents::PendingChange>> named_changes(Context& context, const Given& given);
// With {text} behind {change}; {path}: where it is, when that is known.
Result<documents::PendingChange> comment_on_change(Context& context, const Given& given);

// {path}, {author} and {since}. Errors: invalid, those of the path.
Result<documents::ChangeFilter> change_filter(Context& context, const Documents& documents, const Given& given);
// The id that is meant by a unique start of it (design 8.20); what fits none is given back as it is, for whoever looks for it
// next. Errors: ambiguous, naming those that fit.
Result<std::string> whole_id(const std::vector<documents::PendingChange>& changes, std::string_view typed);

}  // namespace holdfast::operations
