"""Child processes of ours: started, spoken with over pipes, and never outliving the daemon."""
