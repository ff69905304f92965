import type { TestProject } from "vitest/node";
import { startRedis } from "../redis.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** URL of the run's Redis. Test files share it, so each file uses its own key prefixes. */
    redisUrl: string;
  }
}

/** Uses the server of SVC_TEST_REDIS_URL or starts one for a vitest project; tests reach it with `inject("redisUrl")`. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env.SVC_TEST_REDIS_URL;
  if (given) {
    project.provide("redisUrl", given);
    return async () => {};
  }
  const server = await startRedis();
  project.provide("redisUrl", server.url);
  return server.stop;
}
