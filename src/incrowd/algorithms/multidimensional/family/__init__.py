"""What searches over regions share."""
