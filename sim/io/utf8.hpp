// Texts that other programs decode: arguments and file names may be any bytes, but JSON (RFC 8259),
// attributes of HDF5 and texts of PNG are UTF-8.
#pragma once

#include <string>
#include <string_view>

namespace aureole::io {

/// `text` with U+FFFD for every run of bytes that begins a character of UTF-8 and does not end one, and for
/// every byte that cannot begin one (the Unicode Standard, section 3.9, "substitution of maximal subparts",
/// as decoders of browsers and of Python do it). Well-formed text, control characters too, is returned as it
/// is.
std::string valid_utf8(std::string_view text);

/// `text` for one line on a terminal: valid UTF-8 in which control characters (C0, DEL and C1, of which
/// terminals make commands) are spelt \n, \t or \xHH. All else, backslashes too, is returned as it is.
std::string printable(std::string_view text);

/// The same for a text of several lines, whose ends stay.
std::string printable_lines(std::string_view text);

/// `text` as a JSON string, quotes around it: valid UTF-8, control characters escaped.
std::string json_text(std::string_view text);

/// The name of a file as a relative reference (RFC 3986): what is no letter, digit, or one of
/// -._~!$&'()*+,;=@ becomes %XX, byte for byte, so that nothing is lost of any name.
std::string relative_url(std::string_view name);

}  // namespace aureole::io
