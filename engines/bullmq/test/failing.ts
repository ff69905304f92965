import type { Major } from "./applications.ts";
import { type Commanded, startCommanded } from "./commanded.ts";

export interface Failing extends Commanded {
  /** The jobs that the worker began since the start, or since `heal`. */
  readonly runs: { readonly id: string | undefined; readonly data: unknown }[];
  /** From now on every job succeeds. */
  heal(): void;
}

/** Queue `mail` whose worker fails every job until `heal`, with one failed job. */
export async function startFailing(
  major: Major,
  job: string,
  options: Record<string, unknown> = {},
  data: unknown = { to: "someone" },
): Promise<Failing> {
  const commanded = await startCommanded(major);
  const { app, agent, id } = commanded;
  const runs: { id: string | undefined; data: unknown }[] = [];
  let isWell = false;
  await app.worker("mail", async ({ id, data }) => {
    runs.push({ id, data });
    if (!isWell) throw new Error("no luck");
    return null;
  });
  await app.queue("mail").add("welcome", data, { jobId: job, ...options });
  await agent.seen(id(job), "task.failed");
  const heal = () => {
    isWell = true;
    runs.length = 0;
  };
  return { ...commanded, runs, heal };
}
