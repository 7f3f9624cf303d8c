"""What searches of several families share."""
