// The text of the exception that a call throws, for tests of what errors say.
#pragma once

#include <gtest/gtest.h>

#include <string>

namespace aureole::test {

/// Adds a failure and returns "" when `call` throws no E.
template <class E, class Call>
std::string message_of(Call call)
{
    try {
        call();
    } catch (const E& error) {
        return error.what();
    }
    ADD_FAILURE() << "no error was thrown";
    return "";
}

inline testing::AssertionResult contains(const std::string& text, const std::string& part)
{
    if (text.find(part) != std::string::npos) return testing::AssertionSuccess();
    return testing::AssertionFailure() << "\"" << text << "\" does not contain \"" << part << "\"";
}

}  // namespace aureole::test
