"""The tables of the derived database, under the names of the user's data model where that has one."""

SCHEMA_VERSION = 3

# What only a view of the user's data model needs is kept in views: `chunks`, `metadata` and `tags`
# are what other programs read; the tables behind them are ours to change.
DERIVED_SCHEMA = """
CREATE TABLE meta (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
) WITHOUT ROWID;

-- A parse is keyed by what it was made from, so that the same content is never read twice.
CREATE TABLE parses (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  digest TEXT NOT NULL,
  recipe TEXT NOT NULL,
  file_type TEXT NOT NULL,
  encoding TEXT NOT NULL,
  problems TEXT NOT NULL DEFAULT '[]',
  UNIQUE (digest, recipe)
);

CREATE TABLE sections (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  parse_id INTEGER NOT NULL REFERENCES parses(id) ON DELETE CASCADE,
  ordinal INTEGER NOT NULL,
  kind TEXT NOT NULL,
  symbol TEXT,
  heading TEXT NOT NULL,
  heading_path TEXT NOT NULL,
  content_hash TEXT NOT NULL,
  date TEXT,
  status TEXT NOT NULL DEFAULT 'active',
  private_to TEXT,
  tags TEXT NOT NULL DEFAULT '',
  rooms TEXT NOT NULL DEFAULT '',
  metadata TEXT NOT NULL DEFAULT '{}',
  line_start INTEGER NOT NULL,
  line_end INTEGER NOT NULL,
  byte_start INTEGER NOT NULL,
  byte_end INTEGER NOT NULL,
  length INTEGER NOT NULL
);
CREATE INDEX sections_by_parse ON sections (parse_id, ordinal);

-- Text and term counts stand apart, so that scoring reads small rows.
CREATE TABLE section_texts (
  section_id INTEGER PRIMARY KEY REFERENCES sections(id) ON DELETE CASCADE,
  content TEXT NOT NULL
);
CREATE TABLE section_terms (
  section_id INTEGER PRIMARY KEY REFERENCES sections(id) ON DELETE CASCADE,
  terms BLOB NOT NULL
);
CREATE TABLE section_tags (
  section_id INTEGER NOT NULL REFERENCES sections(id) ON DELETE CASCADE,
  tag TEXT NOT NULL,
  source TEXT NOT NULL,
  PRIMARY KEY (section_id, tag, source)
) WITHOUT ROWID;
CREATE TABLE section_rooms (
  section_id INTEGER NOT NULL REFERENCES sections(id) ON DELETE CASCADE,
  room TEXT NOT NULL,
  source TEXT NOT NULL,
  PRIMARY KEY (section_id, room, source)
) WITHOUT ROWID;

CREATE TABLE documents (
  path TEXT PRIMARY KEY,
  parse_id INTEGER REFERENCES parses(id),
  recipe TEXT NOT NULL,
  file_type TEXT NOT NULL,
  digest TEXT NOT NULL,
  dev INTEGER NOT NULL,
  ino INTEGER NOT NULL,
  size INTEGER NOT NULL,
  mtime_ns INTEGER NOT NULL,
  ctime_ns INTEGER NOT NULL,
  scanned_ns INTEGER NOT NULL,
  encoding TEXT NOT NULL,
  chunk_count INTEGER NOT NULL,
  indexed_at TEXT NOT NULL,
  stale INTEGER NOT NULL DEFAULT 0,
  stale_reason TEXT,
  problem TEXT
) WITHOUT ROWID;
CREATE INDEX documents_by_parse ON documents (parse_id);

-- A chunk is a section at a path. Rows are never overwritten and ids never used again; a removed
-- row stays until no reader can need it.
CREATE TABLE chunk_rows (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  path TEXT NOT NULL,
  section_id INTEGER NOT NULL REFERENCES sections(id),
  added_revision INTEGER NOT NULL,
  removed_revision INTEGER,
  digest TEXT NOT NULL,
  created_at TEXT NOT NULL
);
CREATE INDEX chunk_rows_live ON chunk_rows (path) WHERE removed_revision IS NULL;
CREATE INDEX chunk_rows_removed ON chunk_rows (removed_revision) WHERE removed_revision IS NOT NULL;
CREATE INDEX chunk_rows_by_section ON chunk_rows (section_id);

-- How vectors were made; several stand side by side while a change of the model is under way.
CREATE TABLE embedding_models (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  fingerprint TEXT NOT NULL UNIQUE,
  dimensions INTEGER NOT NULL,
  recipe TEXT NOT NULL
);
-- One row for each text that was embedded: little-endian 16-bit floats of a vector of unit length.
CREATE TABLE window_vectors (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  model_id INTEGER NOT NULL REFERENCES embedding_models(id) ON DELETE CASCADE,
  digest BLOB NOT NULL,
  vector BLOB NOT NULL,
  UNIQUE (model_id, digest)
);
CREATE TABLE section_windows (
  section_id INTEGER NOT NULL REFERENCES sections(id) ON DELETE CASCADE,
  model_id INTEGER NOT NULL REFERENCES embedding_models(id) ON DELETE CASCADE,
  ordinal INTEGER NOT NULL,
  window_id INTEGER NOT NULL REFERENCES window_vectors(id),
  PRIMARY KEY (section_id, model_id, ordinal)
) WITHOUT ROWID;
CREATE INDEX section_windows_by_window ON section_windows (window_id);
CREATE INDEX section_windows_by_model ON section_windows (model_id);

CREATE TABLE journal (
  revision INTEGER PRIMARY KEY AUTOINCREMENT,
  committed_at TEXT NOT NULL,
  added BLOB NOT NULL,
  removed BLOB NOT NULL,
  keys BLOB NOT NULL,
  df BLOB NOT NULL,
  chunks INTEGER NOT NULL,
  length INTEGER NOT NULL
);

-- The live statistics at the head, kept by the same transaction as the chunks.
CREATE TABLE term_statistics (
  key INTEGER PRIMARY KEY,
  df INTEGER NOT NULL
);
CREATE TABLE totals (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  revision INTEGER NOT NULL,
  chunks INTEGER NOT NULL,
  length INTEGER NOT NULL
);
INSERT INTO totals VALUES (1, 0, 0, 0);

CREATE TABLE snapshots (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  commit_hash TEXT NOT NULL UNIQUE,
  commit_message TEXT,
  commit_date TIMESTAMP,
  chunk_count INTEGER,
  file_count INTEGER,
  created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP
);
CREATE TABLE relations (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  chunk_a INTEGER REFERENCES chunk_rows(id),
  chunk_b INTEGER REFERENCES chunk_rows(id),
  relation_type TEXT NOT NULL,
  confidence REAL DEFAULT 0.0,
  resolved BOOLEAN DEFAULT FALSE,
  resolution TEXT,
  created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP
);

CREATE VIEW chunks AS
  SELECT c.id AS id, c.path AS file, s.heading AS heading, t.content AS content,
         s.content_hash AS content_hash, v.vector AS embedding, p.file_type AS file_type,
         s.date AS date, s.tags AS tags, s.status AS status, CAST(NULL AS TEXT) AS commit_hash,
         s.line_start AS line_start, s.line_end AS line_end,
         c.created_at AS created_at, c.created_at AS updated_at, s.rooms AS rooms
  FROM chunk_rows c
  JOIN sections s ON s.id = c.section_id
  JOIN section_texts t ON t.section_id = s.id
  JOIN parses p ON p.id = s.parse_id
  LEFT JOIN section_windows w ON w.section_id = s.id AND w.ordinal = 0 AND w.model_id =
    (SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'embedding_model')
  LEFT JOIN window_vectors v ON v.id = w.window_id
  WHERE c.removed_revision IS NULL;
CREATE VIEW metadata AS
  SELECT path AS file, file_type, digest, size, mtime_ns / 1e9 AS mtime, encoding, chunk_count,
         indexed_at, stale, coalesce(stale_reason, problem) AS problem
  FROM documents;
CREATE VIEW tags AS
  SELECT c.id AS chunk_id, st.tag AS tag, st.source AS source
  FROM chunk_rows c JOIN section_tags st ON st.section_id = c.section_id
  WHERE c.removed_revision IS NULL;
"""

# What people wrote is never rebuilt: each version only adds to the one before, and is never edited.
AUTHORED_MIGRATIONS = (
    """
CREATE TABLE meta (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
) WITHOUT ROWID;
""",
    """
-- What tuning has chosen; the last row is in force, one without values takes it back.
CREATE TABLE calibrations (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  day TEXT NOT NULL,
  alpha REAL,
  beta REAL,
  questions INTEGER NOT NULL,
  digest TEXT NOT NULL,
  gain REAL NOT NULL,
  gain_low REAL NOT NULL,
  gain_high REAL NOT NULL
);
""",
)
AUTHORED_SCHEMA_VERSION = len(AUTHORED_MIGRATIONS)

REGISTRY_SCHEMA_VERSION = 2

# What the daemon remembers of workspaces while they are closed.
REGISTRY_SCHEMA = """
CREATE TABLE workspaces (
  root TEXT PRIMARY KEY,
  nonce TEXT NOT NULL,
  opened_at TEXT NOT NULL,
  opening INTEGER NOT NULL DEFAULT 0,
  crashes INTEGER NOT NULL DEFAULT 0,
  files INTEGER NOT NULL DEFAULT 0,
  chunks INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
"""
