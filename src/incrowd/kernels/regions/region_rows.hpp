// The tuples of regions that are being cut: a stack of rows, in memory as the regions are on it.
//
// A row is one tuple: its codes in blocks of 16 bytes, so that the span of a region is a few vector
// instructions a row and a row moves as one.  The region on top of the stack is cut in place: what
// lies right of the cut stays at the bottom, what lies left goes on top, each in the order it had.
#pragma once

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "core/integers.hpp"

namespace incrowd {
struct RowRange {
    size_t start = 0, size = 0;
};

// How many records of a region have a code.
struct Tally {
    int32_t code;
    int64_t records;
};

template <typename Code>
class RegionRows {
  public:
    static constexpr size_t kLanes = 16 / sizeof(Code);
    static constexpr size_t kNumberLanes = 4 / sizeof(Code);  // of an int32_t

    // Rows have numbers, in the lanes behind the columns, if they are to be told apart.
    RegionRows(size_t columns, bool numbered) : columns_(columns), numbered_(numbered) {
        const size_t lanes = columns + (numbered ? kNumberLanes : 0);
        stride_ = std::max<size_t>(1, (lanes + kLanes - 1) / kLanes) * kLanes;
    }

    // `lanes` has the codes of all rows, by column; `numbers` is needed if they have numbers.
    void load(const std::vector<const int32_t*>& lanes, const int64_t* records,
              const int32_t* numbers, size_t n) {
        resize(n);
        std::copy_n(records, n, records_.begin());
        constexpr size_t at_once = 512;  // rows that stay in the cache from column to column
        for (size_t from = 0; from < n; from += at_once)
            for (size_t j = 0; j < columns_; ++j) {
                const size_t to = std::min(n, from + at_once);
                for (size_t i = from; i < to; ++i)
                    codes_[i * stride_ + j] = static_cast<Code>(lanes[j][i]);
            }
        for (size_t i = 0; numbered_ && i < n; ++i)
            std::memcpy(codes_.data() + i * stride_ + columns_, numbers + i, sizeof *numbers);
    }

    // A copy of some of the rows.
    RegionRows(const RegionRows& from, RowRange rows)
        : columns_(from.columns_), stride_(from.stride_), numbered_(from.numbered_) {
        resize(rows.size);
        std::copy_n(from.codes_.begin() + rows.start * stride_, rows.size * stride_,
                    codes_.begin());
        std::copy_n(from.records_.begin() + rows.start, rows.size, records_.begin());
    }

    size_t size() const { return records_.size(); }
    const Code* codes(size_t row) const { return codes_.data() + row * stride_; }
    // That of the row that was loaded, of which this may be a part.
    int32_t number(size_t row) const {
        int32_t found;
        std::memcpy(&found, codes(row) + columns_, sizeof found);
        return found;
    }
    int64_t records(size_t row) const { return records_[row]; }

    // The smallest and the largest code in each column.
    void span(RowRange rows, int32_t* low, int32_t* high) const {
        for (size_t b = 0; b < columns_; b += kLanes) {
            Block least = block(rows.start, b), most = least;
            for (size_t r = rows.start + 1; r < rows.start + rows.size; ++r) {
                const Block row = block(r, b);
                least = row < least ? row : least;
                most = row > most ? row : most;
            }
            for (size_t j = b; j < std::min(columns_, b + kLanes); ++j) {
                low[j] = least[j - b];
                high[j] = most[j - b];
            }
        }
    }

    // The codes of a column, ascending; all lie in [low, high].
    void tally(RowRange rows, size_t j, int32_t low, int32_t high, std::vector<Tally>& into) {
        const Code* code = lane(rows.start, j);
        const auto codes = static_cast<size_t>(high - low) + 1;
        into.clear();
        if (codes > 4 * rows.size + 64) {  // more codes than are worth looking at
            for (size_t r = 0; r < rows.size; ++r, code += stride_)
                into.push_back({*code, records_[rows.start + r]});
            return merge(into);
        }
        counts_.assign(codes, 0);
        for (size_t r = 0; r < rows.size; ++r, code += stride_)
            counts_[*code - low] += records_[rows.start + r];
        for (size_t c = 0; c < codes; ++c)
            if (counts_[c]) into.push_back({low + static_cast<int32_t>(c), counts_[c]});
    }

    // Codes below `cut` go left.  Returns how many rows lie right: they come first.
    size_t cut(RowRange rows, size_t j, int32_t cut) {
        set_aside(rows.size);
        return stride_ == kLanes ? cut_blocks<1>(rows, j, cut) : cut_blocks<0>(rows, j, cut);
    }

    // How many records of a row go left: all below `code`, and of those equal to it as many as are
    // still wanted.
    int64_t taken(size_t row, size_t j, int32_t code, int64_t& wanted) const {
        const int32_t own = *lane(row, j);
        const int64_t all = records_[row];
        const int64_t found = own < code ? all : own > code ? 0 : std::min(all, wanted);
        if (own == code) wanted -= found;
        return found;
    }

    // Codes below `code` go left, and of those equal to it the first `records` records, for which
    // one row may have to be divided.  Nothing may lie above the rows.  Returns how many lie right,
    // and how many left.
    std::pair<size_t, size_t> divide(RowRange rows, size_t j, int32_t code, int64_t records) {
        set_aside(rows.size);
        size_t left = 0, right = rows.start;
        for (size_t r = rows.start; r < rows.start + rows.size; ++r) {
            const int64_t all = records_[r], taken_left = taken(r, j, code, records);
            if (taken_left) {
                put_aside(r, left);
                aside_records_[left++] = taken_left;
            }
            if (taken_left < all) {
                move(r, right);
                records_[right++] = all - taken_left;
            }
        }
        if (left + right > size()) resize(left + right);
        take_back(left, right);
        return {right - rows.start, left};
    }

  private:
    using Block [[gnu::vector_size(16)]] = Code;

    Block block(size_t row, size_t b) const {
        Block found;
        std::memcpy(&found, codes_.data() + row * stride_ + b, sizeof found);
        return found;
    }

    const Code* lane(size_t row, size_t j) const { return codes(row) + j; }

    // Each row is written to both sides, and counted on one: nothing for the processor to guess.
    template <size_t Blocks>
    size_t cut_blocks(RowRange rows, size_t j, int32_t cut) {
        const size_t stride = Blocks ? Blocks * kLanes : stride_;
        Code* const codes = codes_.data() + rows.start * stride;
        Code* const aside = aside_.data();
        int64_t* const records = records_.data() + rows.start;
        int64_t* const aside_records = aside_records_.data();
        size_t left = 0, right = 0;
        for (size_t r = 0; r < rows.size; ++r) {
            const bool below = codes[r * stride + j] < cut;
            for (size_t b = 0; b < stride; b += kLanes) {
                Block row;
                std::memcpy(&row, codes + r * stride + b, sizeof row);
                std::memcpy(aside + left * stride + b, &row, sizeof row);
                std::memcpy(codes + right * stride + b, &row, sizeof row);
            }
            aside_records[left] = records[r];
            records[right] = records[r];
            left += below;
            right += !below;
        }
        take_back(left, rows.start + right);
        return right;
    }

    void resize(size_t n) {
        codes_.resize(n * stride_);
        records_.resize(n);
    }

    void set_aside(size_t n) {
        if (aside_records_.size() >= n) return;
        aside_.resize(n * stride_);
        aside_records_.resize(n);
    }

    void copy_row(const Code* from, Code* to) const {
        for (size_t b = 0; b < stride_; b += kLanes) std::memmove(to + b, from + b, 16);
    }

    void put_aside(size_t row, size_t to) {
        copy_row(codes_.data() + row * stride_, aside_.data() + to * stride_);
        aside_records_[to] = records_[row];
    }

    void move(size_t row, size_t to) {
        copy_row(codes_.data() + row * stride_, codes_.data() + to * stride_);
        records_[to] = records_[row];
    }

    void take_back(size_t n, size_t to) {
        std::copy_n(aside_.begin(), n * stride_, codes_.begin() + to * stride_);
        std::copy_n(aside_records_.begin(), n, records_.begin() + to);
    }

    static void merge(std::vector<Tally>& tallies) {
        std::ranges::sort(tallies, [](const Tally& a, const Tally& b) { return a.code < b.code; });
        size_t kept = 0;
        for (size_t at = 1; at < tallies.size(); ++at)
            if (tallies[at].code == tallies[kept].code)
                tallies[kept].records += tallies[at].records;
            else tallies[++kept] = tallies[at];
        tallies.resize(tallies.empty() ? 0 : kept + 1);
    }

    size_t columns_, stride_;
    bool numbered_;
    std::vector<Code> codes_, aside_;
    std::vector<int64_t> records_, aside_records_, counts_;
};
}  // namespace incrowd
