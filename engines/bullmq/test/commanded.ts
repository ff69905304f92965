import { randomUUID } from "node:crypto";
import type { Command, CommandOutcome, EngineAdapter } from "@svc/agent";
import { inject } from "vitest";
import { createBullmqAdapter } from "../src/adapter.ts";
import type { BullmqOptions } from "../src/options.ts";
import { type Application, freshPrefix, type Major, startApplication } from "./applications.ts";
import { type RecordingAgent, recordingAgent } from "./recording-agent.ts";

export interface Commanded extends AsyncDisposable {
  readonly app: Application;
  readonly agent: RecordingAgent;
  readonly adapter: EngineAdapter;
  /** Task id of a job of the queue `mail`. */
  id(job: string): string;
  execute(action: string, parameters: object, more?: Partial<Command>): Promise<CommandOutcome>;
}

/** An application of one major version with queue `mail`, and a side-car that accepts commands. */
export async function startCommanded(major: Major, options: Partial<BullmqOptions> = {}): Promise<Commanded> {
  const redis = typeof options.redis === "string" ? options.redis : inject("redisUrl");
  const app = startApplication(major, redis, options.prefixes?.[0] ?? freshPrefix());
  const agent = recordingAgent();
  const adapter = await agent.run(createBullmqAdapter({ redis, prefixes: [app.prefix], ...options }));
  return {
    app,
    agent,
    adapter,
    id: (job) => `${app.prefix}:mail:${job}`,
    execute: (action, parameters, more) => executeOn(adapter, action, parameters, more),
    async [Symbol.asyncDispose]() {
      await agent.stopAll();
      await app.close();
    },
  };
}

export async function executeOn(
  adapter: EngineAdapter,
  action: string,
  parameters: object,
  more: Partial<Command> = {},
): Promise<CommandOutcome> {
  const command = { id: randomUUID(), action, engine: "bullmq", target: {}, timeoutSeconds: 60, ...more };
  const outcome = await adapter.execute?.({ ...command, parameters: parameters as Command["parameters"] });
  if (!outcome) throw new Error("the adapter accepts no commands");
  return outcome;
}
