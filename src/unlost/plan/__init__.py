"""The file a person writes: parsed, checked, digested; its scope."""
