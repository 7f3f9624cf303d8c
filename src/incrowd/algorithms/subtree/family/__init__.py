"""What searches over subtrees share."""
