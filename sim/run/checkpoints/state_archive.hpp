// Serialization of plain values, for checkpoints. The fields of a state are listed once per type, by
//
//     template <class Archive> void visit_state(Archive& archive, MyState& state) { archive(state.a,
//     state.b); }
//
// in this namespace. Both directions use it, so that they cannot disagree about the order. Numbers are stored
// as they lie in memory, sizes as 64-bit integers before what they count.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "sim/core/error.hpp"
#include "sim/core/vec3.hpp"

namespace aureole::run {

template <class T>
concept PlainValue = std::is_arithmetic_v<T> || std::is_enum_v<T> || std::is_same_v<T, Vec3>;

class StateWriter {
public:
    template <class... T>
    void operator()(const T&... values)
    {
        (put(values), ...);
    }
    std::span<const std::byte> bytes() const { return bytes_; }

private:
    template <PlainValue T>
    void put(const T& value)
    {
        const auto bytes = std::as_bytes(std::span(&value, 1));
        bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    }
    void put(const std::string& text)
    {
        put(std::uint64_t{text.size()});
        for (const char c : text) put(c);
    }
    template <class T>
    void put(const std::optional<T>& value)
    {
        put(value.has_value());
        if (value) put(*value);
    }
    template <class T, std::size_t n>
    void put(const std::array<T, n>& list)
    {
        for (const T& item : list) put(item);
    }
    template <class T>
    void put(const std::vector<T>& list)
    {
        put(std::uint64_t{list.size()});
        for (const T& item : list) put(item);
    }
    template <class K, class T>
    void put(const std::map<K, T>& map)
    {
        put(std::uint64_t{map.size()});
        for (const auto& [key, value] : map) operator()(key, value);
    }
    template <class T>
    void put(const T& state)
    {
        visit_state(*this, const_cast<T&>(state));  // visited, not changed
    }

    std::vector<std::byte> bytes_;
};

/// Throws IoError when the bytes end early or a size cannot be right; end() when some are left.
class StateReader {
public:
    /// `name` stands for the bytes in messages.
    StateReader(std::span<const std::byte> bytes, std::string name) : rest_(bytes), name_(std::move(name)) {}

    template <class... T>
    void operator()(T&... values)
    {
        (get(values), ...);
    }
    void end() const
    {
        if (!rest_.empty()) refuse(fmt::format("{} bytes too many", rest_.size()));
    }

private:
    [[noreturn]] void refuse(const std::string& what) const
    {
        throw IoError(fmt::format("{}: the state holds {}", name_, what));
    }
    /// Of things that take a byte or more each.
    std::size_t size()
    {
        std::uint64_t n = 0;
        get(n);
        if (n > rest_.size()) refuse(fmt::format("a list of {} in {} bytes", n, rest_.size()));
        return static_cast<std::size_t>(n);
    }
    template <PlainValue T>
    void get(T& value)
    {
        if (rest_.size() < sizeof(T)) refuse("too few bytes");
        if constexpr (std::is_same_v<T, bool>)
            value = rest_[0] != std::byte{0};
        else
            std::memcpy(&value, rest_.data(), sizeof(T));
        rest_ = rest_.subspan(sizeof(T));
    }
    void get(std::string& text)
    {
        text.resize(size());
        for (char& c : text) get(c);
    }
    template <class T>
    void get(std::optional<T>& value)
    {
        bool there = false;
        get(there);
        value.reset();
        if (there) get(value.emplace(T{}));
    }
    template <class T, std::size_t n>
    void get(std::array<T, n>& list)
    {
        for (T& item : list) get(item);
    }
    template <class T>
    void get(std::vector<T>& list)
    {
        list.clear();
        const std::size_t n = size();
        for (std::size_t k = 0; k < n; ++k) get(list.emplace_back());
    }
    template <class K, class T>
    void get(std::map<K, T>& map)
    {
        map.clear();
        const std::size_t n = size();
        for (std::size_t k = 0; k < n; ++k) {
            K key{};
            get(key);
            get(map[key]);
        }
    }
    template <class T>
    void get(T& state)
    {
        visit_state(*this, state);
    }

    std::span<const std::byte> rest_;
    std::string name_;
};

}  // namespace aureole::run
