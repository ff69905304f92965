import type { DatabaseSync } from "node:sqlite";

/** What is known of one command id. */
export interface CommandRecord {
  readonly id: string;
  readonly action: string;
  /** Of the newest delivery; null when that had none. */
  readonly token: string | null;
  /** 0 while it waits for its turn, 1 from just before it is carried out. */
  readonly isBegun: 0 | 1;
  /** Canonical JSON of the result's payload, without token; null before the end. */
  readonly outcome: string | null;
  /** When it was delivered last or ended, in milliseconds since 1970. */
  readonly seenMs: number;
}

/** Ignored by agents that do not know it, so it needs no layout version of its own. */
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

/** The journal of command ids inside the buffer's database. `CommandJournal` limits how much it holds. */
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
    /** Commands without outcome, in order of their last delivery. */
    unended: () => unended.all() as unknown as CommandRecord[],
    all: () => all.all() as unknown as CommandRecord[],
    /** Forgets ended commands that were seen before `beforeMs`. */
    prune: (beforeMs: number) => prune.run(beforeMs),
  };
}
