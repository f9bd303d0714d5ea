"""What pools offer and tenants are promised, in numbers: for checks and plan alike."""
