-- `streams` holds the head of each chain, so that rows cut off at the end are missed too.
CREATE TABLE streams (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    length INTEGER NOT NULL,
    digest TEXT NOT NULL
) STRICT;

CREATE TABLE events (
    stream TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    kind TEXT NOT NULL,
    key TEXT NOT NULL,
    version INTEGER NOT NULL,
    at REAL NOT NULL,
    facts TEXT NOT NULL,
    body_digest TEXT,
    body_size INTEGER,
    digest TEXT NOT NULL,
    PRIMARY KEY (stream, sequence),
    UNIQUE (stream, key)
) STRICT, WITHOUT ROWID;

-- Bodies live apart: a list of events never reads them, and a person may have one purged without breaking the chain.
CREATE TABLE bodies (
    stream TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    body BLOB NOT NULL,
    PRIMARY KEY (stream, sequence)
) STRICT;
