#pragma once

// The model endpoints of the settings `llm` and `llm_order`.

#include "cli/program/context.h"
#include "model/models.h"

#include <memory>

namespace holdfast::cli {

// What there is when none is configured: nothing, or the one that people have on their own machine (model/endpoint.h).
enum class WithoutEndpoints { no_model, local_endpoint };

// The context outlives it. Errors: invalid, naming the setting or the variable.
Result<std::unique_ptr<model::Models>> make_configured_models(const Context& context, WithoutEndpoints otherwise);

}  // namespace holdfast::cli
