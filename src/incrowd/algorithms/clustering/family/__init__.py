"""What clusterings share."""
