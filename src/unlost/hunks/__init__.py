"""Line differences: which lines a claim made, and which of them still stand."""
