// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/event/postgres_tables.h"

namespace parley::event {

// The hash of a decision has the form of decision_hash().
const char* const kPostgresTables = R"sql(
CREATE TABLE meta (
  key TEXT NOT NULL PRIMARY KEY,
  value TEXT NOT NULL
);
CREATE TABLE sessions (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  dialect TEXT NOT NULL,
  owner TEXT NOT NULL,
  title TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  first_seq INTEGER NOT NULL,
  active_at INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX sessions_active ON sessions (owner, active_at);
CREATE TABLE events (
  key BIGINT PRIMARY KEY,
  at INTEGER NOT NULL,
  direction TEXT NOT NULL,
  type TEXT NOT NULL,
  payload TEXT NOT NULL
);
CREATE INDEX events_skipping ON events (key) WHERE type = 'numbers.skipped';
CREATE TABLE interactions (
  session INTEGER NOT NULL,
  key TEXT NOT NULL,
  id TEXT NOT NULL,
  kind TEXT NOT NULL,
  state TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  opened_at INTEGER NOT NULL,
  deadline INTEGER NOT NULL,
  opened_seq INTEGER NOT NULL,
  closed_seq INTEGER NOT NULL,
  inbox TEXT,
  change INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (session, key)
);
CREATE INDEX interactions_pending ON interactions (session, opened_seq) WHERE state = 'pending';
CREATE INDEX interactions_inbox ON interactions (inbox, change) WHERE inbox IS NOT NULL;
CREATE INDEX interactions_inbox_key ON interactions (inbox, key) WHERE inbox IS NOT NULL;
CREATE INDEX interactions_inbox_pending ON interactions (inbox, change)
  WHERE state = 'pending' AND inbox IS NOT NULL;
CREATE TABLE decisions (
  workspace TEXT NOT NULL,
  number INTEGER NOT NULL,
  session INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  at INTEGER NOT NULL,
  closed BLOB NOT NULL,
  hash BLOB NOT NULL,
  PRIMARY KEY (workspace, number)
);
CREATE UNIQUE INDEX decisions_event ON decisions (session, seq);
CREATE TABLE parley_writers (
  id INTEGER PRIMARY KEY,
  since TIMESTAMPTZ NOT NULL DEFAULT now()
);
CREATE TABLE parley_workspaces (
  owner TEXT NOT NULL PRIMARY KEY,
  change INTEGER NOT NULL DEFAULT 0,
  decisions INTEGER NOT NULL DEFAULT 0,
  hash BLOB NOT NULL DEFAULT decode(repeat('00', 32), 'hex')
);

CREATE FUNCTION parley_events.expect(met boolean, what text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF met IS NOT TRUE THEN RAISE EXCEPTION USING ERRCODE = 'PR001', MESSAGE = what; END IF;
END $$;

CREATE FUNCTION parley_events.hashed_field(name text, value text) RETURNS text
LANGUAGE sql IMMUTABLE AS $$
  SELECT name || ' ' || octet_length(value) || chr(10) || value || chr(10)
$$;

CREATE FUNCTION parley_events.next_change(of_owner text) RETURNS bigint LANGUAGE sql AS $$
  UPDATE parley_events.parley_workspaces SET change = change + 1 WHERE owner = of_owner RETURNING change
$$;

CREATE FUNCTION parley_events.lock_workspaces(of_owners text[]) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO parley_events.parley_workspaces (owner)
    SELECT DISTINCT each FROM unnest(of_owners) AS t(each) ORDER BY each ON CONFLICT DO NOTHING;
  PERFORM 1 FROM parley_events.parley_workspaces WHERE owner = ANY(of_owners) ORDER BY owner FOR UPDATE;
END $$;

CREATE FUNCTION parley_events.open_interaction(in_session bigint, with_key text, with_id text,
  of_kind text, with_fingerprint text, opened bigint, until bigint, by_seq bigint, of_inbox text)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_change bigint := 0;
  v_rows bigint;
BEGIN
  IF of_inbox IS NOT NULL THEN v_change := parley_events.next_change(of_inbox); END IF;
  INSERT INTO parley_events.interactions (session, key, id, kind, state, fingerprint, opened_at,
    deadline, opened_seq, closed_seq, inbox, change)
  VALUES (in_session, with_key, with_id, of_kind, 'pending', with_fingerprint, opened, until,
    by_seq, 0, of_inbox, v_change)
  ON CONFLICT (session, key) DO NOTHING;
  GET DIAGNOSTICS v_rows = ROW_COUNT;
  PERFORM parley_events.expect(v_rows = 1, 'interaction');
END $$;

CREATE FUNCTION parley_events.close_interaction(in_session bigint, with_key text, with_id text,
  new_state text, by_seq bigint)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_inbox text;
  v_rows bigint;
BEGIN
  UPDATE parley_events.interactions SET state = new_state, closed_seq = by_seq
    WHERE session = in_session AND key = with_key AND id = with_id AND state = 'pending'
    RETURNING inbox INTO v_inbox;
  GET DIAGNOSTICS v_rows = ROW_COUNT;
  PERFORM parley_events.expect(v_rows = 1, 'interaction');
  IF v_inbox IS NOT NULL THEN
    UPDATE parley_events.interactions SET change = parley_events.next_change(v_inbox)
      WHERE session = in_session AND key = with_key;
  END IF;
END $$;

CREATE FUNCTION parley_events.decide(of_workspace text, in_session bigint, session_id text,
  by_seq bigint, at_ms bigint, at_text text, digest bytea)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE parley_events.parley_workspaces w SET decisions = w.decisions + 1, hash = sha256(convert_to(
      parley_events.hashed_field('previous', encode(w.hash, 'hex')) ||
      parley_events.hashed_field('workspace', of_workspace) ||
      parley_events.hashed_field('number', (w.decisions + 1)::text) ||
      parley_events.hashed_field('session', session_id) ||
      parley_events.hashed_field('seq', by_seq::text) ||
      parley_events.hashed_field('at', at_text) ||
      parley_events.hashed_field('closed', encode(digest, 'hex')), 'UTF8'))
    WHERE w.owner = of_workspace;
  INSERT INTO parley_events.decisions (workspace, number, session, seq, at, closed, hash)
    SELECT owner, decisions, in_session, by_seq, at_ms, digest, hash
    FROM parley_events.parley_workspaces WHERE owner = of_workspace;
END $$;

CREATE FUNCTION parley_events.change_interactions(owners text[], in_sessions bigint[],
  session_ids text[], opens bigint[], keys text[], ids text[], kinds text[], states text[],
  fingerprints text[], ats bigint[], at_texts text[], deadlines bigint[], seqs bigint[],
  in_inbox bigint[], digests bytea[])
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM parley_events.lock_workspaces(owners);
  FOR i IN 1 .. cardinality(keys) LOOP
    IF opens[i] = 1 THEN
      PERFORM parley_events.open_interaction(in_sessions[i], keys[i], ids[i], kinds[i],
        fingerprints[i], ats[i], deadlines[i], seqs[i],
        CASE in_inbox[i] WHEN 1 THEN owners[i] END);
    ELSE
      PERFORM parley_events.close_interaction(in_sessions[i], keys[i], ids[i], states[i], seqs[i]);
      PERFORM parley_events.decide(owners[i], in_sessions[i], session_ids[i], seqs[i], ats[i],
        at_texts[i], digests[i]);
    END IF;
  END LOOP;
END $$;
)sql";

core::Result<void> complete_copy(sql::Database& database) {
  if (database.engine() == sql::Engine::sqlite) return {};
  return database.execute(
      "DELETE FROM parley_workspaces; INSERT INTO parley_workspaces (owner, change, decisions, "
      "hash)"
      " SELECT o.owner, coalesce((SELECT max(change) FROM interactions WHERE inbox = o.owner), 0),"
      " coalesce(d.number, 0), coalesce(d.hash, decode(repeat('00', 32), 'hex'))"
      " FROM (SELECT DISTINCT owner FROM sessions) o LEFT JOIN (SELECT DISTINCT ON (workspace)"
      " workspace, number, hash FROM decisions ORDER BY workspace, number DESC) d"
      " ON d.workspace = o.owner");
}

}  // namespace parley::event
