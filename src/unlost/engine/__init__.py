"""Drives units: fold, decide, do, with an intent before every effect and an outcome after it."""
