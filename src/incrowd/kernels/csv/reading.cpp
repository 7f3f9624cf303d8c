#include "csv/reading.hpp"

#include <stdexcept>

namespace incrowd {
namespace {
constexpr size_t kSlack = 8;  // bytes that may be read after the end of a cell

Problem problem_of(std::string_view cell) {
    switch (check_text(cell)) {
        case TextProblem::nul_byte: return Problem::nul_byte;
        case TextProblem::not_utf8: return Problem::not_utf8;
        default: return Problem::none;
    }
}
}  // namespace

CsvReader::CsvReader(std::string separator, int64_t row_limit)
    : scanner_(std::move(separator)), row_limit_(row_limit) {}

void CsvReader::fail(Problem what, int64_t line) {
    problem = what;
    problem_line = line;
    problem_cells = std::ssize(scanner_.cells);
}

bool CsvReader::feed(std::span<const uint8_t> chunk, bool last) {
    if (problem != Problem::none) return false;
    pending_.insert(pending_.end(), chunk.begin(), chunk.end());
    if (pending_.size() < retry_at_ && !last) return true;
    const size_t size = pending_.size();
    pending_.resize(size + kSlack);  // zeros, not part of the text
    const char* end = pending_.data() + size;
    consume(pending_.data(), end, last);
    const auto used = static_cast<size_t>(scanner_.next - pending_.data());
    pending_.resize(size);
    pending_.erase(pending_.begin(), pending_.begin() + used);
    retry_at_ = pending_.size() * 2;
    return problem == Problem::none;
}

// Takes the complete records; `scanner_.next` ends up where the first incomplete one starts.
void CsvReader::consume(const char* begin, const char* end, bool last) {
    scanner_.next = begin;
    while (scanner_.next < end && problem == Problem::none) {
        switch (scanner_.scan(scanner_.next, end, last)) {
            case RecordScanner::Found::incomplete: return;
            case RecordScanner::Found::unterminated_quote:
                return fail(Problem::unterminated_quote, line_ + scanner_.breaks_inside);
            case RecordScanner::Found::text_after_quote:
                return fail(Problem::text_after_quote, line_ + scanner_.breaks_inside);
            case RecordScanner::Found::record: has_header_ ? take_record() : take_header();
        }
        line_ += scanner_.breaks_inside;
        if (scanner_.ending != Ending::none) {
            ++line_;
            ++endings[static_cast<size_t>(scanner_.ending)];
        }
    }
}

void CsvReader::take_header() {
    for (const std::string_view cell : scanner_.cells) {
        if (const Problem found = problem_of(cell); found != Problem::none)
            return fail(found, line_);
        header.emplace_back(cell);
    }
    columns.resize(header.size());
    has_header_ = true;
}

void CsvReader::take_record() {
    if (scanner_.blank() && columns.size() > 1) {
        if (empty_line_ == 0) empty_line_ = line_;
        return;
    }
    if (empty_line_ != 0)  // empty lines are fine at the end of the file only
        return fail(Problem::empty_line, empty_line_);
    if (scanner_.cells.size() != columns.size()) return fail(Problem::ragged_row, line_);
    if (rows == row_limit_) return fail(Problem::too_many_rows, line_);
    ++rows;
    for (size_t j = 0; j < columns.size(); ++j) {
        const int32_t code = columns[j].cells.insert_if_it_pays(scanner_.cells[j]);
        if (code < 0) return fail(problem_of(scanner_.cells[j]), line_);
        columns[j].codes.push_back(code);
    }
}

CsvColumn number_cells(std::span<const uint8_t> bytes, std::span<const int64_t> offsets) {
    check_offsets(bytes, offsets);
    CsvColumn column;
    column.codes.reserve(offsets.size() - 1);
    std::string last;  // cells at the end of the bytes, where nothing may be read after them
    for (size_t i = 1; i < offsets.size(); ++i) {
        std::string_view cell(reinterpret_cast<const char*>(bytes.data()) + offsets[i - 1],
                              static_cast<size_t>(offsets[i] - offsets[i - 1]));
        if (offsets[i] + static_cast<int64_t>(kSlack) > std::ssize(bytes)) {
            last.assign(cell).append(kSlack, '\0');
            cell = std::string_view(last).substr(0, cell.size());
        }
        const int32_t code = column.cells.insert(cell);
        if (code < 0) throw std::invalid_argument("csv: a cell is no text");
        column.codes.push_back(code);
    }
    return column;
}

std::vector<int32_t> cells_per_record(std::span<const uint8_t> text, const std::string& separator,
                                      bool last) {
    RecordScanner scanner(separator);
    std::vector<int32_t> counts;
    const auto* at = reinterpret_cast<const char*>(text.data());
    const char* end = at + text.size();
    while (at < end && scanner.scan(at, end, last) == RecordScanner::Found::record) {
        counts.push_back(scanner.blank() ? 0 : static_cast<int32_t>(scanner.cells.size()));
        at = scanner.next;
    }
    return counts;
}
}  // namespace incrowd
