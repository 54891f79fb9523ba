"""The program that works on a place: one zip, standard library only, told what to do by one JSON order."""
