#include "csv/scanning.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace incrowd {
namespace {
int64_t count_breaks(std::string_view text) {
    int64_t breaks = 0;
    for (size_t i = 0; i < text.size(); ++i)
        breaks +=
            text[i] == '\n' || (text[i] == '\r' && (i + 1 == text.size() || text[i + 1] != '\n'));
    return breaks;
}
}  // namespace

RecordScanner::RecordScanner(std::string separator) : separator_(std::move(separator)) {
    if (separator_.empty()) throw std::invalid_argument("csv: an empty separator");
    for (const char stop : {separator_[0], '\n', '\r'})
        stops_[static_cast<unsigned char>(stop)] = true;
    if (separator_.find_first_of(std::string_view("\"\n\r\0", 4)) != std::string::npos)
        throw std::invalid_argument("csv: the separator cannot be a quote, a line break or NUL");
}

bool RecordScanner::at_separator(const char* at, const char* end) const {
    const size_t size = separator_.size();
    return *at == separator_[0] && static_cast<size_t>(end - at) >= size &&
           std::memcmp(at, separator_.data(), size) == 0;
}

// Moves `at` from an opening quote past the closing one; false if there is none before `end`.
bool RecordScanner::skip_quoted(const char*& at, const char* end) const {
    const char* from = at + 1;
    while (from < end) {
        const auto* quote =
            static_cast<const char*>(std::memchr(from, '"', static_cast<size_t>(end - from)));
        if (!quote) return false;
        if (quote + 1 == end || quote[1] != '"') {
            at = quote + 1;
            return true;
        }
        from = quote + 2;
    }
    return false;
}

const char* RecordScanner::skip_plain(const char* at, const char* end) const {
    for (;; ++at) {
        while (at < end && !stops_[static_cast<unsigned char>(*at)]) ++at;
        if (at == end || *at == '\n' || *at == '\r' || at_separator(at, end)) return at;
    }
}

RecordScanner::Found RecordScanner::scan(const char* begin, const char* end, bool last) {
    // What stands at the very end of the bytes so far may be the first part of something longer:
    // of CRLF, of a doubled quote, of a separator of several bytes.
    const char* sure =
        last ? end
             : end - std::min<std::ptrdiff_t>(
                         end - begin, std::max<std::ptrdiff_t>(1, std::ssize(separator_) - 1));
    cells.clear();
    breaks_inside = 0;
    for (const char* at = begin;;) {
        const char* start = at;
        const bool quoted = at < end && *at == '"';
        if (quoted) {
            if (!skip_quoted(at, end)) return last ? Found::unterminated_quote : Found::incomplete;
            breaks_inside += count_breaks({start, static_cast<size_t>(at - start)});
        } else {
            at = skip_plain(at, end);
        }
        if (at >= sure && !last) return Found::incomplete;
        cells.emplace_back(start, static_cast<size_t>(at - start));
        if (at == end) {
            ending = Ending::none;
            next = at;
            return Found::record;
        }
        if (*at == '\n' || *at == '\r') {
            const bool pair = *at == '\r' && at + 1 < end && at[1] == '\n';
            ending = pair ? Ending::crlf : *at == '\n' ? Ending::lf : Ending::cr;
            next = at + (pair ? 2 : 1);
            return Found::record;
        }
        if (!at_separator(at, end)) return Found::text_after_quote;
        at += separator_.size();
    }
}
}  // namespace incrowd
