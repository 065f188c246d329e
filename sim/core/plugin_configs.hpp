// Where a configuration keeps what the user set for plug-ins.
#pragma once

#include <any>
#include <map>
#include <typeindex>

namespace aureole {

/// The configuration structs of plug-ins, one of each type: a module's configuration carries them without
/// knowing them.
class PluginConfigs {
public:
    /// For changing: made with its defaults at the first call.
    template <class T>
    T& get()
    {
        std::any& value = values_[typeid(T)];
        if (!value.has_value()) value = T{};
        return *std::any_cast<T>(&value);
    }
    /// The defaults when nothing was set.
    template <class T>
    const T& get() const
    {
        static const T defaults{};
        const auto found = values_.find(typeid(T));
        return found == values_.end() ? defaults : *std::any_cast<T>(&found->second);
    }

private:
    std::map<std::type_index, std::any> values_;
};

}  // namespace aureole
