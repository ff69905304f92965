import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  createManualClock,
  createScriptedAdapter,
  type ManualClock,
  type Peer,
  type ScriptedAdapter,
} from "@svc/testkit/peer";
import type { AgentLog } from "../src/adapter.ts";
import { type Agent, startAgent } from "../src/agent.ts";
import type { AgentOptions } from "../src/options/options.ts";

export interface TestAgent extends AsyncDisposable {
  readonly agent: Agent;
  readonly adapter: ScriptedAdapter;
  readonly clock: ManualClock;
  readonly directory: string;
  /** Every logged message, as `level message`. */
  readonly messages: string[];
  /** Advances the clock past the batch window, so that emitted events are in the buffer. */
  settle(): void;
}

export interface TestAgentOptions extends Partial<Omit<AgentOptions, "clock">> {
  /** Shared with the peer in tests that advance beyond the 60 s of a frame's maximum age. */
  readonly clock?: ManualClock;
  /** The capabilities of the scripted adapter. Default: none. */
  readonly capabilities?: readonly string[];
}

/** An agent on a manual clock, connected to a peer, with its buffer in a new folder. `await using` stops it and cleans up. */
export async function startTestAgent(
  peer: Peer,
  { capabilities = [], ...options }: TestAgentOptions = {},
): Promise<TestAgent> {
  const clock = options.clock ?? createManualClock();
  const adapter = createScriptedAdapter("scripted", capabilities);
  const directory = options.bufferPath ?? mkdtempSync(join(tmpdir(), "agent-"));
  const messages: string[] = [];
  const agent = startAgent({
    brainUrl: peer.url,
    token: peer.identity.token,
    hmacSecret: peer.hmacSecret,
    agentId: peer.identity.agentId,
    engines: [adapter],
    bufferPath: directory,
    bufferName: "agent",
    random: () => 0.5,
    log: collectingLog(messages),
    devMode: true,
    pollWaitSeconds: 1,
    ...options,
    clock,
  });
  if (options.autostart !== false) await agent.ready;
  return {
    agent,
    adapter,
    clock,
    directory,
    messages,
    settle: () => clock.advance(60),
    async [Symbol.asyncDispose]() {
      const stopped = agent.stop();
      // Stopping waits on the clock for acknowledgements that may never arrive.
      const timer = setInterval(() => clock.advance(50), 1);
      await stopped;
      clearInterval(timer);
      if (options.bufferPath === undefined) rmSync(directory, { recursive: true });
    },
  };
}

function collectingLog(messages: string[]): AgentLog {
  const at =
    (level: string): AgentLog["info"] =>
    (message, fields) => {
      messages.push(`${level} ${message} ${JSON.stringify(fields ?? {})}`);
    };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}
