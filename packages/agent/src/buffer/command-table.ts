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

/** Older agents ignore this table, so it needs no layout version. */
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
  const forget = database.prepare("DELETE FROM commands WHERE id = ?");
  const find = database.prepare(`SELECT ${columns} FROM commands WHERE id = ?`);
  const unended = database.prepare(`SELECT ${columns} FROM commands WHERE outcome IS NULL ORDER BY seen_ms, id`);
  const all = database.prepare(`SELECT ${columns} FROM commands ORDER BY seen_ms, id`);
  const prune = database.prepare("DELETE FROM commands WHERE outcome IS NOT NULL AND seen_ms < ?");
  return {
    put({ id, action, token, isBegun, outcome, seenMs }: CommandRecord) {
      put.run(id, action, token, isBegun, outcome, seenMs);
    },
    forget: (id: string) => forget.run(id),
    find: (id: string) => find.get(id) as unknown as CommandRecord | undefined,
    /** Commands without an outcome, in order of their last delivery. */
    unended: () => unended.all() as unknown as CommandRecord[],
    all: () => all.all() as unknown as CommandRecord[],
    /** Deletes finished commands that were last seen before `beforeMs`. */
    prune: (beforeMs: number) => prune.run(beforeMs),
  };
}
