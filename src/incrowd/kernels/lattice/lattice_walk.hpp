// A walk over the lattice, for a good node early where the whole lattice cannot be searched.
//
// From a node it lowers a column, or raises one, or does both with two, while that gives less loss.
// How many records fall at the next node is guessed from the steps taken before: a step that raises
// a column is worth a count only where the guess says that it gives less.  The first round goes
// from the top to where the guesses promise most.  Later rounds start, in turn, from a few columns
// above the best node and from wherever columns lowered in random order lead; they take steps in
// random order, and trust the guesses less and less: walks from the same node end at different
// ones.  Chance is drawn from a fixed seed: the same walk every time.
#pragma once

#include "core/random.hpp"
#include "lattice/fall_guess.hpp"
#include "lattice/searched_nodes.hpp"

namespace incrowd {
class LatticeWalk {
  public:
    explicit LatticeWalk(SearchedNodes& nodes) : nodes_(nodes), guess_(nodes.top()) {}

    // Goes on with the round under way, or begins one: until no step improves, or many nodes were
    // counted.
    void go_on();

  private:
    // One column down, or one up, or both.  The number of columns stands for none.
    struct Step {
        size_t down, up;
        double least;  // what it gives if nothing falls
    };
    using Steps = std::vector<Step>;

    void begin();
    void end();
    void kick();
    void go_down_anyhow();
    bool improve();
    bool goes_to(const Levels& levels);
    void stand_at(const Levels& levels);
    Steps steps();
    Steps::iterator most_promising(Steps& steps) const;
    int64_t guessed_fall(const Step& step) const;
    Levels after(const Step& step) const;
    std::vector<size_t> shuffled_columns();
    bool paused() const { return nodes_.stopped() || nodes_.counted() >= pause_; }

    SearchedNodes& nodes_;
    FallGuess guess_;
    Random random_{2};
    Levels at_;
    double value_ = kInfinity;
    int64_t fell_ = 0;   // records
    double cost_ = 0;    // of a record that falls, beyond what it costs otherwise, as seen last
    int64_t pause_ = 0;  // nodes counted by then
    int64_t rounds_ = 0, began_ = 0;
    int64_t idle_ = 0;  // rounds that saw nothing new
    enum class Phase : int { none, down, improve } phase_ = Phase::none;
};
}  // namespace incrowd
