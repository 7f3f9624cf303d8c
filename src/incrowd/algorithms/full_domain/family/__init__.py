"""What full-domain searches share."""
