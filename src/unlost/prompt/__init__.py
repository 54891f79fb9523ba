"""What an agent is told: sections in one fixed order, outside text fenced."""
