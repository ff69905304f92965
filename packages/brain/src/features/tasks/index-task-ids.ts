import type { DatabaseSync } from "node:sqlite";
import type { Loop } from "../../platform/loop.ts";
import type { BrainDatabase } from "../../schema/tables/index.ts";
import { openIdIndex } from "./projection/id-index-sqlite-store.ts";

/** Rows of one round: some tens of milliseconds of the writer, so that a batch of events never waits long for it. */
const rowsPerRound = 8000;
const roundsPerTick = 20;

/** Inside the writer thread: indexes the next new task ids and tells how many there were. */
export const indexTaskIdsJob = (db: DatabaseSync): (() => number) => {
  const index = openIdIndex(db);
  return () => index.advance(rowsPerRound);
};

/** Brings the trigram index of task ids up to date; in large rounds this costs a fraction of doing it with each task. */
export const indexTaskIds: Loop<{ database: BrainDatabase }> = {
  name: "tasks.index-task-ids",
  everyMs: 1000,
  leaderOnly: false,
  async tick({ database, signal }) {
    const { bulk } = database;
    if (bulk.dialect !== "sqlite") return { indexed: 0 };
    let indexed = 0;
    for (let round = 0; round < roundsPerTick && !signal.aborted; round += 1) {
      const count = (await bulk.job("tasks.index-task-ids", null)) as number;
      indexed += count;
      if (count < rowsPerRound) break;
    }
    return { indexed };
  },
};
