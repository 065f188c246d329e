// The external fields by name, and how one is made from its settings.
#pragma once

#include <functional>
#include <memory>

#include "gravity/external/external_field.hpp"
#include "gravity/external/field_config.hpp"
#include "sim/core/registry.hpp"

namespace aureole::gravity {

/// Keys of the settings stand in an entry of `gravity.external.fields`, below the name.
using FieldPlugin = Plugin<std::function<std::unique_ptr<ExternalField>(const FieldConfig&)>>;

/// All fields, the built-in ones first. Others are added as other plug-ins are, see docs/extending.md.
Registry<FieldPlugin>& fields();

/// What a user may set of any field, beside its name.
std::vector<Setting<FieldConfig>> placement_settings();

/// Every setting of an entry whose field has this name: its own and those of all. Throws ConfigError for an
/// unknown name.
std::vector<Setting<FieldConfig>> field_settings(const std::string& name);

/// The field of an entry, and the friction that it exerts where its settings ask for that. Throws ConfigError
/// naming the key for an unknown name, for a key that is missing and for a value that makes no field.
std::vector<std::unique_ptr<ExternalField>> make_field(const FieldConfig& config);

}  // namespace aureole::gravity
