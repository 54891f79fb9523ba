"""Workspaces that move: epochs, save, restore, receipts, places, and linked work trees."""
