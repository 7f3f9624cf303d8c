#include "clustering/tuple_walk.hpp"

#include <algorithm>

#include "core/ties.hpp"

namespace incrowd {

namespace {

constexpr std::size_t kWindow = 8;  // neighbours looked at before the walk

}  // namespace

TupleWalk::TupleWalk(const std::int32_t* codes, const std::int64_t* records, std::size_t d,
                     std::size_t n, std::size_t start, std::size_t stop)
    : d_(d), codes_((stop - start) * d), left_(records + start, records + stop), sums_(d + 1) {
    for (std::size_t i = start; i < stop; ++i) {
        tuple_.push_back(static_cast<std::int32_t>(i));
        for (std::size_t j = 0; j < d; ++j) codes_[(i - start) * d + j] = codes[j * n + i];
    }
    link();
}

void TupleWalk::link() {
    const std::size_t n = left_.size();
    const auto end = static_cast<std::int32_t>(n);
    differs_.assign(n + 1, 0);
    for (std::size_t i = 1; i < n; ++i)
        differs_[i] = static_cast<std::int32_t>(
            std::mismatch(codes_at(i), codes_at(i) + d_, codes_at(i - 1)).first - codes_at(i));
    skip_.assign((n + 1) * d_, end);
    jump_.resize(n);
    shared_.resize(n);
    for (std::size_t i = n; i-- > 0;) {
        jump_[i] = static_cast<std::int32_t>(i + 1);
        shared_[i] = differs_[i + 1];
        for (std::size_t j = 0; j < d_; ++j)
            skip_[i * d_ + j] = differs_[i + 1] <= static_cast<std::int32_t>(j)
                                    ? jump_[i]
                                    : skip_[(i + 1) * d_ + j];
    }
}

void TupleWalk::take(std::size_t place, std::int64_t count) {
    left_[place] -= count;
    dead_ += left_[place] == 0;
}

void TupleWalk::compact() {
    if (dead_ * 2 < left_.size()) return;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < left_.size(); ++i) {
        if (left_[i] == 0) continue;
        left_[kept] = left_[i];
        tuple_[kept] = tuple_[i];
        std::copy_n(codes_.begin() + static_cast<std::ptrdiff_t>(i * d_), d_,
                    codes_.begin() + static_cast<std::ptrdiff_t>(kept * d_));
        ++kept;
    }
    left_.resize(kept);
    tuple_.resize(kept);
    codes_.resize(kept * d_);
    dead_ = 0;
    link();
}

double TupleWalk::sum_at(const CostTables& tables, std::size_t place) const {
    double sum = 0.0;
    for (std::size_t j = 0; j < d_; ++j) sum += tables.by_code[j][codes_[place * d_ + j]];
    return sum;
}

// The first place with records from `place` on; `level` falls to what all places passed share.
std::size_t TupleWalk::pass_dead(std::size_t place, std::size_t& level) {
    while (place < left_.size() && left_[place] == 0) {
        const auto to = static_cast<std::size_t>(jump_[place]);
        if (to < left_.size() && left_[to] == 0) {  // halve the way for whoever comes next
            shared_[place] = std::min(shared_[place], shared_[to]);
            jump_[place] = jump_[to];
        }
        level = std::min(level, static_cast<std::size_t>(shared_[place]));
        place = static_cast<std::size_t>(jump_[place]);
    }
    return place;
}

std::size_t TupleWalk::least(const CostTables& tables, std::size_t near) {
    const std::size_t n = left_.size();
    double best = std::numeric_limits<double>::infinity();
    std::size_t best_at = kNone;
    if (near != kNone)
        for (std::size_t i = near - std::min(near, kWindow); i < std::min(n, near + kWindow); ++i) {
            if (left_[i] == 0) continue;
            const double sum = sum_at(tables, i);
            if (sum < best - kTie) best = sum, best_at = i;
        }
    std::size_t level = 0;  // so many of `sums_` hold for the place before
    for (std::size_t i = pass_dead(0, level); i < n; i = pass_dead(i, level)) {
        if (best - kTie <= tables.rest[0] && best_at < i) break;
        double sum = sums_[level];
        std::size_t j = level;
        for (; j < d_; ++j) {
            sum += tables.by_code[j][codes_[i * d_ + j]];
            const double least = sum + tables.rest[j + 1];
            if (least > best + kTie || (least >= best - kTie && i > best_at)) break;
            sums_[j + 1] = sum;
        }
        level = j;
        if (j == d_) best = std::min(best, sum), best_at = i, --j;
        i = static_cast<std::size_t>(skip_[i * d_ + j]);
        level = std::min(level, static_cast<std::size_t>(differs_[i]));
    }
    return best_at;
}

}  // namespace incrowd
