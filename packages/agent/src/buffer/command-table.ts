import type { DatabaseSync } from "node:sqlite";

/** The record of one command id. */
export interface CommandRecord {
  readonly id: string;
  readonly action: string;
  /** Claim token of the newest delivery. Null when it had none. */
  readonly token: string | null;
  /** 0 while queued, 1 from just before its execution. */
  readonly isBegun: 0 | 1;
  /** Canonical JSON of the result's payload, without token. Null until it is finished. */
  readonly outcome: string | null;
  /** When it was last delivered or finished, in milliseconds since 1970. */
  readonly seenMs: number;
}

/** What is needed to repeat a command in a later process. */
export interface Repeatable {
  /** JSON of its frame's payload. */
  readonly payload: string;
  /** When its time is over, in milliseconds since 1970. */
  readonly deadlineMs: number;
}

/** A record to store. Without `repeatable`, a stored one is kept until the outcome is known. */
export interface NewCommandRecord extends CommandRecord {
  readonly repeatable?: Repeatable | undefined;
}

/** Older agents ignore these tables, so they need no layout version. */
export const commandSchema = `
  CREATE TABLE IF NOT EXISTS commands (
    id TEXT PRIMARY KEY,
    action TEXT NOT NULL,
    token TEXT,
    is_begun INTEGER NOT NULL,
    outcome TEXT,
    seen_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS commands_ended ON commands (seen_ms) WHERE outcome IS NOT NULL;
  CREATE INDEX IF NOT EXISTS commands_unended ON commands (id) WHERE outcome IS NULL;
  CREATE TABLE IF NOT EXISTS repeatable_commands (
    id TEXT PRIMARY KEY,
    payload TEXT NOT NULL,
    deadline_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
`;
const columns = "id, action, token, is_begun AS isBegun, outcome, seen_ms AS seenMs";

export type CommandTable = ReturnType<typeof openCommandTable>;

/** The journal of command ids in the buffer's database. `CommandJournal` bounds its size. */
export function openCommandTable(database: DatabaseSync) {
  const put = database.prepare(
    `INSERT INTO commands (id, action, token, is_begun, outcome, seen_ms) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET action = excluded.action, token = excluded.token, is_begun = excluded.is_begun,
       outcome = excluded.outcome, seen_ms = excluded.seen_ms`,
  );
  const putRepeatable = database.prepare(
    "INSERT OR REPLACE INTO repeatable_commands (id, payload, deadline_ms) VALUES (?, ?, ?)",
  );
  const forget = database.prepare("DELETE FROM commands WHERE id = ?");
  const forgetRepeatable = database.prepare("DELETE FROM repeatable_commands WHERE id = ?");
  const find = database.prepare(`SELECT ${columns} FROM commands WHERE id = ?`);
  const findRepeatable = database.prepare(
    "SELECT payload, deadline_ms AS deadlineMs FROM repeatable_commands WHERE id = ?",
  );
  const unended = database.prepare(`SELECT ${columns} FROM commands WHERE outcome IS NULL ORDER BY seen_ms, id`);
  const all = database.prepare(`SELECT ${columns} FROM commands ORDER BY seen_ms, id`);
  const prune = database.prepare("DELETE FROM commands WHERE outcome IS NOT NULL AND seen_ms < ?");
  const pruneRepeatable = database.prepare("DELETE FROM repeatable_commands WHERE deadline_ms < ?");
  const repeatable = (id: string) => findRepeatable.get(id) as unknown as Repeatable | undefined;
  return {
    put({ id, action, token, isBegun, outcome, seenMs, repeatable }: NewCommandRecord) {
      put.run(id, action, token, isBegun, outcome, seenMs);
      if (outcome !== null) forgetRepeatable.run(id);
      else if (repeatable !== undefined) putRepeatable.run(id, repeatable.payload, repeatable.deadlineMs);
    },
    forget(id: string) {
      forget.run(id);
      forgetRepeatable.run(id);
    },
    find: (id: string) => find.get(id) as unknown as CommandRecord | undefined,
    /** Undefined for a command that must not be repeated. */
    repeatable,
    /** Commands without an outcome, in order of their last delivery. */
    unended: () => unended.all() as unknown as CommandRecord[],
    /** Every record, as another file needs it. */
    all: (): NewCommandRecord[] =>
      (all.all() as unknown as CommandRecord[]).map((record) => ({ ...record, repeatable: repeatable(record.id) })),
    /** Deletes finished commands that were last seen before `beforeMs`, and what is needed to repeat those whose time was over by then. */
    prune(beforeMs: number) {
      prune.run(beforeMs);
      pruneRepeatable.run(beforeMs);
    },
  };
}
