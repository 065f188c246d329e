// How exactly a computation works where its user may choose: the configuration says `mixed` or `double`.
#pragma once

namespace aureole {

/// Sums are double, or exact, with both.
enum class Precision {
    mixed,            ///< pair arithmetic is float on coordinates relative to a nearby origin
    double_precision  ///< everything is double
};

constexpr const char* name_of(Precision precision)
{
    return precision == Precision::mixed ? "mixed" : "double";
}

}  // namespace aureole
