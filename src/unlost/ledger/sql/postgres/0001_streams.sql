-- `streams` holds the head of each chain, so that rows cut off at the end are missed too.
CREATE TABLE streams (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name TEXT COLLATE "C" NOT NULL UNIQUE,
    length BIGINT NOT NULL,
    digest TEXT NOT NULL
);

CREATE TABLE events (
    stream TEXT COLLATE "C" NOT NULL,
    sequence BIGINT NOT NULL,
    kind TEXT NOT NULL,
    key TEXT COLLATE "C" NOT NULL,
    version INTEGER NOT NULL,
    at DOUBLE PRECISION NOT NULL,
    facts TEXT NOT NULL,
    body_digest TEXT,
    body_size BIGINT,
    digest TEXT NOT NULL,
    PRIMARY KEY (stream, sequence),
    UNIQUE (stream, key)
);

-- Bodies live apart: a list of events never reads them, and a person may have one purged without breaking the chain.
CREATE TABLE bodies (
    stream TEXT COLLATE "C" NOT NULL,
    sequence BIGINT NOT NULL,
    body BYTEA NOT NULL,
    PRIMARY KEY (stream, sequence)
);
