"""What an ended attempt hands to the next: a typed report, proof of what is lost, and the prompt that resumes."""
