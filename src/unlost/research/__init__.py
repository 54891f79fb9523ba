"""Research before coding: the brief, its durable submission, its sources, the questions it leaves."""
