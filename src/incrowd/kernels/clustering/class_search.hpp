// The moves of the local search, on one bucket of records.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "clustering/editable_classes.hpp"
#include "core/random.hpp"

namespace incrowd {

class ClassSearch {
  public:
    // Whether the classes that a step changed may stay as they are now.
    using Judge = std::function<bool(const std::vector<std::int32_t>&)>;

    // Without a judge, every step that keeps k records in each class may stay.
    ClassSearch(EditableClasses& classes, std::int64_t k, std::uint64_t seed, Judge judge);

    // Dissolves classes whose records are cheaper elsewhere, and moves records out of classes that
    // are larger than they need be.
    void dissolve_and_move();
    // Spawns and ruins until so many cells were looked at.  A step may lose a little at first, less
    // and less so, and nothing in the end.  `tick` is called before each; it may throw.
    void explore(std::uint64_t work, const std::function<void()>& tick);

  private:
    bool settle();
    bool abandon();
    bool dissolve(std::int32_t c);
    bool scatter();
    bool move_out(std::int32_t item);
    bool spawn();
    void rank_candidates(std::int32_t seed, std::int64_t greed);
    void gather(std::int32_t born, std::int64_t greed);
    void join(std::int32_t born, std::int32_t item);
    bool dissolve_donors();
    void pull(std::int32_t born);
    bool ruin();
    void form_classes();
    void polish(const std::vector<std::int32_t>& items);
    std::int32_t costly_item();
    void find_near(std::int32_t item);
    std::int64_t saved_without(std::int32_t item);
    std::int64_t added_by(std::int32_t c, std::int32_t item) const;

    EditableClasses& classes_;
    std::int64_t k_;
    Random random_;
    Judge judge_;
    std::int64_t tolerance_ = 0;  // a step may lose less than this
    // Of the step at hand: classes near the seed; records pooled, taken, and to be taken.
    std::vector<std::int32_t> near_, pool_, pooled_, taken_, candidates_, current_, donors_;
    std::vector<std::pair<std::int64_t, std::int32_t>> ranked_;
};

}  // namespace incrowd
