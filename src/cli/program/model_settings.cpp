#include "cli/program/model_settings.h"

#include "model/open_models.h"

namespace holdfast::cli {

Result<std::unique_ptr<model::Models>> make_configured_models(const Context& context, WithoutEndpoints otherwise) {
  auto endpoints = model::read_endpoints(context.settings.json("llm"));
  if (!endpoints) return fail(std::move(endpoints).error().within("llm"));
  if (endpoints->empty() && otherwise == WithoutEndpoints::local_endpoint) {
    HF_TRY(model::Endpoint local, model::local_endpoint(context.environment));
    endpoints->push_back(std::move(local));
  }
  auto order = model::read_order(context.settings.json("llm_order"), *endpoints);
  if (!order) return fail(std::move(order).error().within("llm_order"));
  model::ModelOptions options;
  options.environment = context.environment;
  options.order = *std::move(order);
  return model::make_models(*std::move(endpoints), std::move(options));
}

}  // namespace holdfast::cli
