import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRedactor } from "@svc/protocol";
import { createManualClock, createScriptedAdapter, type ManualClock, waitFor } from "@svc/testkit/peer";
import { afterEach, beforeEach } from "vitest";
import { DurableBuffer } from "../src/buffer/buffer.ts";
import type { CommandExecutor } from "../src/commands/command.ts";
import { CommandRouter } from "../src/commands/router.ts";

export interface Reply {
  readonly type: string;
  readonly id: string;
  readonly payload: {
    delivery_claim_token?: string;
    status?: string;
    error?: string;
    outcome?: string;
    result?: unknown;
  };
}

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** Routers over a real buffer file on a manual clock. Each test of the calling file starts with an empty one. */
export function routerBench() {
  let clock: ManualClock;
  let directory: string;
  let buffer: DurableBuffer;
  let logged: string;
  beforeEach(() => {
    logged = "";
    clock = createManualClock();
    directory = mkdtempSync(join(tmpdir(), "router-"));
    buffer = openBuffer();
  });
  afterEach(() => {
    buffer.close();
    rmSync(directory, { recursive: true });
  });

  function openBuffer(): DurableBuffer {
    const limits = { maxEntries: 100_000, maxBytes: 256 * 1024 * 1024 };
    return new DurableBuffer({ place: { directory, name: "agent", limits }, clock, log: silent });
  }

  function routerOf(execute: CommandExecutor): CommandRouter {
    const adapter = createScriptedAdapter("scripted", ["retry_task", "submit_task"]);
    const write = (message: string, fields?: unknown): void => {
      logged += `${message} ${JSON.stringify(fields)}\n`;
    };
    adapter.answerCommands(execute);
    const router = new CommandRouter({
      engines: [adapter],
      secret: Buffer.alloc(32),
      redactor: createRedactor(),
      buffer,
      clock,
      log: { debug: write, info: write, warn: write, error: write },
      onStored: () => {},
    });
    router.tend();
    return router;
  }

  function replies(): Reply[] {
    return buffer
      .read("control", 0, { maxEntries: 100_000, maxBytes: Number.MAX_SAFE_INTEGER })
      .map(({ type, frameId, payload }) => ({ type, id: frameId, payload: JSON.parse(payload) }));
  }

  function results(): Reply[] {
    return replies().filter(({ type }) => type === "command_result");
  }

  return {
    get clock(): ManualClock {
      return clock;
    },
    get buffer(): DurableBuffer {
      return buffer;
    },
    /** The routers' log entries. */
    get logged(): string {
      return logged;
    },
    routerOf,
    /** A router whose commands run until they are ended, and the started ids. */
    holdingRouter(): { router: CommandRouter; begun: string[]; end: (id: string) => void } {
      const begun: string[] = [];
      const ends = new Map<string, () => void>();
      const router = routerOf(({ id }) => {
        begun.push(id);
        return new Promise((resolve) => ends.set(id, () => resolve({ status: "success", result: { task_id: id } })));
      });
      return { router, begun, end: (id) => ends.get(id)?.() };
    },
    /** Ends the agent's process and starts another one with its file. By default it must execute nothing. */
    restart(execute: CommandExecutor = () => Promise.reject(new Error("carried out again"))): CommandRouter {
      buffer.close();
      buffer = openBuffer();
      return routerOf(execute);
    },
    /** Continues with a second process. Returns the buffer of the first one. */
    secondProcess(): DurableBuffer {
      const first = buffer;
      buffer = openBuffer(); // the next file, because the first is locked
      return first;
    },
    replies,
    results,
    /** Payload of the result at a position, counted from 1, once it exists. */
    result: (count = 1): Promise<Reply["payload"]> => waitFor(() => results()[count - 1]?.payload),
  };
}

/** A delivery. */
export function commandFrame(id: string, payload: Record<string, unknown> = {}) {
  return { id, payload: { action: "retry_task", timeout_seconds: 60, ...payload } };
}
