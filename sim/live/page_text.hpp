// The files of the page, which are part of the program: it needs no network and no file at run time.
#pragma once

#include <string_view>

namespace aureole::live {

extern const std::string_view page_html, page_css, page_js;

}  // namespace aureole::live
