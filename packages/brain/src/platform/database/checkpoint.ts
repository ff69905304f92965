import type { Loop } from "../loop.ts";
import type { Database } from "./database.ts";

interface CheckpointDeps {
  database: Pick<Database<unknown>, "checkpoint">;
  /** Receives the number of pages in the log. */
  checkpointed: (pages: number) => void;
  settings: { SVC_WAL_CHECKPOINT_INTERVAL_SECONDS: number };
}

/** Writes the embedded database's log back into its file, so that it stays short; nothing on the server database. */
export const checkpointLog: Loop<CheckpointDeps> = {
  name: "database.checkpoint",
  everyMs: ({ settings }) => settings.SVC_WAL_CHECKPOINT_INTERVAL_SECONDS * 1000,
  leaderOnly: false,
  async tick({ database, checkpointed }) {
    const pages = await database.checkpoint();
    if (pages !== null) checkpointed(pages);
    return { pages };
  },
};
