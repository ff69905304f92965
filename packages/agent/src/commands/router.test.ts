import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRedactor } from "@svc/protocol";
import { createManualClock, createScriptedAdapter, type ManualClock, waitFor } from "@svc/testkit/peer";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { DurableBuffer } from "../buffer/buffer.ts";
import type { CommandExecutor } from "./command.ts";
import { CommandRouter } from "./router.ts";

interface Reply {
  readonly type: string;
  readonly id: string;
  readonly payload: { delivery_claim_token?: string; status?: string; error?: string; result?: unknown };
}

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const success = { status: "success" } as const;

let clock: ManualClock;
let directory: string;
let buffer: DurableBuffer;
beforeEach(() => {
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
  const adapter = createScriptedAdapter("scripted", ["retry_task", "dlq.list", "list_dead_letters"]);
  adapter.answerCommands(execute);
  const redactor = createRedactor();
  const secret = Buffer.alloc(32);
  const router = new CommandRouter({
    engines: [adapter],
    secret,
    redactor,
    buffer,
    clock,
    log: silent,
    onStored: () => {},
  });
  router.tend();
  return router;
}

/** A router whose commands run until they are ended, and the ids that have begun. */
function holdingRouter(): { router: CommandRouter; begun: string[]; end: (id: string) => void } {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const router = routerOf(({ id }) => {
    begun.push(id);
    return new Promise((resolve) => ends.set(id, () => resolve({ status: "success", result: { task_id: id } })));
  });
  return { router, begun, end: (id) => ends.get(id)?.() };
}

/** The agent's process is gone, and another one begins with its file. */
function restart(execute: CommandExecutor = () => Promise.reject(new Error("carried out again"))): CommandRouter {
  buffer.close();
  buffer = openBuffer();
  return routerOf(execute);
}

function frame(id: string, payload: Record<string, unknown> = {}) {
  return { id, payload: { action: "retry_task", timeout_seconds: 60, ...payload } };
}

function replies(): Reply[] {
  return buffer
    .read("control", 0, { maxEntries: 100_000, maxBytes: Number.MAX_SAFE_INTEGER })
    .map(({ type, frameId, payload }) => ({ type, id: frameId, payload: JSON.parse(payload) }));
}

function results(): Reply[] {
  return replies().filter(({ type }) => type === "command_result");
}

async function result(count = 1): Promise<Reply["payload"]> {
  return await waitFor(() => results()[count - 1]?.payload);
}

describe("a command", () => {
  test("is acknowledged first, then its result follows", async () => {
    const router = routerOf(() => Promise.resolve({ status: "success", result: { task_id: "1" } }));

    router.handle(frame("c", { delivery_claim_token: "t" }));

    expect(replies()).toEqual([{ type: "command_ack", id: "c", payload: { delivery_claim_token: "t" } }]);
    await result();
    expect(results()).toEqual([
      {
        type: "command_result",
        id: "c",
        payload: { status: "success", result: { task_id: "1" }, delivery_claim_token: "t" },
      },
    ]);
  });

  test("is in the journal before its adapter hears of it", async () => {
    let known: unknown;
    const router = routerOf(({ id }) => {
      known = buffer.command(id);
      return Promise.resolve(success);
    });

    router.handle(frame("c", { delivery_claim_token: "t" }));

    await result();
    expect(known).toMatchObject({ id: "c", action: "retry_task", token: "t", isBegun: 1, outcome: null });
    expect(buffer.command("c")).toMatchObject({ outcome: '{"status":"success"}' });
  });

  test("that cannot be read is answered", async () => {
    routerOf(() => Promise.resolve(success)).handle({ id: "c", payload: null });

    expect(await result()).toEqual({ status: "failed", error: "unsupported: the command names no action" });
  });

  test("whose adapter throws has failed, with a text of at most 8192 characters", async () => {
    routerOf(() => Promise.reject(new Error("x ".repeat(8_000)))).handle(frame("c"));

    const { status, error } = await result();
    expect(status).toBe("failed");
    expect(error).toBe("x ".repeat(4_096));
  });

  test.each([undefined, null, "ok", {}, { status: "done" }])("whose adapter gives %j has failed", async (given) => {
    routerOf(() => Promise.resolve(given as never)).handle(frame("c"));

    expect(await result()).toEqual({ status: "failed", error: "the adapter gave no outcome" });
  });

  test("has a token of at most 64 characters, else none", async () => {
    const router = routerOf(() => Promise.resolve(success));

    router.handle(frame("c", { delivery_claim_token: "x".repeat(65) }));

    expect(await result()).toEqual({ status: "success" });
  });
});

describe("a second delivery", () => {
  test("of a running command is acknowledged; the one result speaks for the newest delivery", async () => {
    const { router, begun, end } = holdingRouter();
    router.handle(frame("c", { delivery_claim_token: "one" }));
    router.handle(frame("c", { delivery_claim_token: "two" }));

    end("c");

    await result();
    expect(begun).toEqual(["c"]);
    expect(replies().map(({ type, payload }) => [type, payload.delivery_claim_token])).toEqual([
      ["command_ack", "one"],
      ["command_ack", "two"],
      ["command_result", "two"],
    ]);
  });

  test("of an ended command gets its result again, under the new token", async () => {
    const { router, begun, end } = holdingRouter();
    router.handle(frame("c", { delivery_claim_token: "one" }));
    end("c");
    await result();

    router.handle(frame("c", { delivery_claim_token: "two" }));

    expect(begun).toEqual(["c"]);
    expect(results().map(({ payload }) => payload)).toEqual([
      { status: "success", result: { task_id: "c" }, delivery_claim_token: "one" },
      { status: "success", result: { task_id: "c" }, delivery_claim_token: "two" },
    ]);
  });

  test("is carried out once 300 s have passed since the last one", async () => {
    let runs = 0;
    const router = routerOf(() => {
      runs += 1;
      return Promise.resolve(success);
    });
    router.handle(frame("c"));
    await result(1);
    clock.advance(299_999);
    router.handle(frame("c"));
    clock.advance(299_999);
    router.handle(frame("c"));
    await result(3);
    expect(runs).toBe(1);

    clock.advance(300_000);
    router.handle(frame("c"));

    await result(4);
    expect(runs).toBe(2);
  });

  test("of a command that runs for long is never carried out, however late it comes", async () => {
    const { router, begun, end } = holdingRouter();
    router.handle(frame("c", { timeout_seconds: 3_600, delivery_claim_token: "one" }));
    clock.advance(3_000_000);

    router.handle(frame("c", { delivery_claim_token: "two" }));
    end("c");

    expect(await result()).toMatchObject({ delivery_claim_token: "two" });
    expect(begun).toEqual(["c"]);
  });

  test("is answered for the last 10,000 ids", async () => {
    let runs = 0;
    const router = routerOf(() => {
      runs += 1;
      return Promise.resolve(success);
    });
    for (let first = 0; first <= 10_000; first += 1) {
      router.handle(frame(`c-${first}`));
      if (first % 500 === 499) await result(first + 1);
    }
    await result(10_001);

    router.handle(frame("c-1"));
    await result(10_002);
    expect(runs).toBe(10_001);
    router.handle(frame("c-0"));
    await result(10_003);
    expect(runs).toBe(10_002);
  });

  test("gets the status alone when newer results have taken the 8 MiB that are held of large ones", async () => {
    const text = "x ".repeat(300_000);
    const router = routerOf(() => Promise.resolve({ status: "success", result: { text } }));
    for (let at = 0; at < 14; at += 1) router.handle(frame(`c-${at}`));
    await result(14);

    router.handle(frame("c-0"));
    router.handle(frame("c-13"));

    expect(results().at(14)?.payload).toEqual({ status: "success" });
    expect(results().at(15)?.payload).toEqual({ status: "success", result: { text } });
    expect(buffer.command("c-0")?.outcome).toBe('{"status":"success"}');
  });
});

describe("after a restart", () => {
  test("a second delivery is answered from the journal", async () => {
    const { router, end } = holdingRouter();
    router.handle(frame("c", { delivery_claim_token: "one" }));
    end("c");
    await result();

    restart().handle(frame("c", { delivery_claim_token: "two" }));

    expect(results().map(({ payload }) => payload)).toEqual([
      { status: "success", result: { task_id: "c" }, delivery_claim_token: "one" },
      { status: "success", result: { task_id: "c" }, delivery_claim_token: "two" },
    ]);
  });

  test("what was being carried out is reported once, as of unknown outcome, and never carried out again", () => {
    const { router } = holdingRouter();
    router.handle(frame("c", { delivery_claim_token: "one" }));
    router.handle(frame("c", { delivery_claim_token: "two" }));

    const error =
      "outcome unknown: the agent stopped while it carried the command out; look at the engine before you repeat it";
    const next = restart();
    expect(results().map(({ payload }) => payload)).toEqual([{ status: "failed", error, delivery_claim_token: "two" }]);
    next.handle(frame("c", { delivery_claim_token: "three" }));
    expect(results().at(-1)?.payload).toEqual({ status: "failed", error, delivery_claim_token: "three" });
    restart();
    expect(results()).toHaveLength(2);
  });

  test("what waited for its turn is reported as not carried out", () => {
    const { router, begun } = holdingRouter();
    for (let at = 0; at < 17; at += 1) router.handle(frame(`c-${at}`));

    restart();

    expect(begun).toHaveLength(16);
    expect(results().filter(({ payload }) => payload.error?.startsWith("outcome unknown"))).toHaveLength(16);
    expect(results().find(({ id }) => id === "c-16")?.payload).toEqual({
      status: "failed",
      error: "not carried out: the agent stopped before it began",
    });
  });

  test("a command is reported however long the agent was away; ids that ended 300 s ago are forgotten", async () => {
    const { router, end } = holdingRouter();
    router.handle(frame("ended"));
    end("ended");
    await result();
    router.handle(frame("open", { timeout_seconds: 3_600 }));
    clock.advance(1_000_000);

    restart();

    expect(results().at(-1)).toMatchObject({ id: "open", payload: { status: "failed" } });
    expect(buffer.command("ended")).toBeUndefined();
  });

  test("another process of the agent answers for what one left that is gone", () => {
    const { router } = holdingRouter();
    router.handle(frame("c", { delivery_claim_token: "one" }));
    const gone = buffer;
    buffer = openBuffer(); // the next file, since the first is held
    const successor = routerOf(() => Promise.reject(new Error("carried out again")));
    expect(results()).toEqual([]);
    gone.close();

    buffer.tend();
    successor.handle(frame("c", { delivery_claim_token: "two" }));

    expect(results().map(({ payload }) => [payload.delivery_claim_token, payload.error?.slice(0, 15)])).toEqual([
      ["one", "outcome unknown"],
      ["two", "outcome unknown"],
    ]);
  });
});

describe("time", () => {
  test("is up after the command's own timeout; what the adapter does afterwards is not reported", async () => {
    const { router, end } = holdingRouter();
    router.handle(frame("c", { timeout_seconds: 5, delivery_claim_token: "t" }));
    clock.advance(4_999);
    expect(results()).toEqual([]);

    clock.advance(1);
    end("c");
    const later = holdingRouter();
    later.router.handle(frame("d"));
    later.end("d");
    await result(2);

    expect(results().map(({ id }) => id)).toEqual(["c", "d"]);
    expect(results()[0]?.payload).toEqual({
      status: "failed",
      error: "timed out after 5 s; whether it takes effect is unknown",
      delivery_claim_token: "t",
    });
  });

  test("runs while a command waits; it is not begun when its time is up", async () => {
    const { router, begun, end } = holdingRouter();
    for (let at = 0; at < 16; at += 1) router.handle(frame(`c-${at}`));
    router.handle(frame("late", { timeout_seconds: 5 }));

    clock.advance(5_000);
    end("c-0");

    expect(await result()).toEqual({
      status: "failed",
      error: "timed out after 5 s in which other commands were carried out; it was not begun",
    });
    await result(2);
    expect(begun).not.toContain("late");
  });
});

describe("many commands", () => {
  test("run 16 at once, the others in order", async () => {
    const { router, begun, end } = holdingRouter();
    for (let at = 0; at < 19; at += 1) router.handle(frame(`c-${at}`));
    expect(begun).toHaveLength(16);
    expect(replies().filter(({ type }) => type === "command_ack")).toHaveLength(19);

    end("c-7");
    end("c-3");
    await result(2);

    expect(begun.slice(16)).toEqual(["c-16", "c-17"]);
    expect(buffer.command("c-18")).toMatchObject({ isBegun: 0 });
  });

  test("wait up to 1,000; more are refused", async () => {
    const { router, begun } = holdingRouter();
    for (let at = 0; at < 1_017; at += 1) router.handle(frame(`c-${at}`));

    expect(results()).toEqual([
      {
        type: "command_result",
        id: "c-1016",
        payload: { status: "failed", error: "busy: 1000 commands wait for their turn already" },
      },
    ]);
    expect(begun).toHaveLength(16);
  });

  test("are refused while 64 go on after their time, and taken again when one has ended", async () => {
    const { router, begun, end } = holdingRouter();
    for (let round = 0; round < 4; round += 1) {
      for (let at = 0; at < 16; at += 1) router.handle(frame(`c-${round}-${at}`, { timeout_seconds: 5 }));
      clock.advance(5_000);
    }
    expect(begun).toHaveLength(64);
    router.handle(frame("refused"));
    expect(results().at(-1)?.payload.error).toBe(
      "busy: 64 commands before it go on after their time was up; the engine does not answer",
    );

    end("c-0-0");
    await waitFor(() => {
      router.handle(frame(`later-${begun.length}-${replies().length}`));
      return begun.length > 64;
    });
  });
});

describe("a result", () => {
  test("that no frame can carry fails with a text that says so", async () => {
    routerOf(() => Promise.resolve({ status: "success", result: { text: "x ".repeat(400_000) } })).handle(
      frame("c", { delivery_claim_token: "t" }),
    );

    expect(await result()).toEqual({
      status: "failed",
      error: "the command ended with success, but its result of 800041 bytes is too large to be sent",
      delivery_claim_token: "t",
    });
  });

  test("that is no JSON fails with a text that says so", async () => {
    const cycle: Record<string, unknown> = {};
    cycle.self = cycle;
    routerOf(() => Promise.resolve({ status: "success", result: cycle })).handle(frame("c"));

    expect(await result()).toEqual({
      status: "failed",
      error: "the command ended with success, but its result cannot be sent because it is not JSON",
    });
  });

  test("holds no secret in the texts of the engine, and ids as they are", async () => {
    const secret = "Bearer abcdefghijklmnop1234";
    const router = routerOf(() =>
      Promise.resolve({
        status: "success",
        result: {
          entries: [{ task_id: "mail:ada@example.org", error_excerpt: `${"x".repeat(600)} ${secret}` }],
          results: [{ task_id: "1", status: "failed", error: secret }],
          exception: "no secret",
        },
      }),
    );

    router.handle(frame("c"));

    expect((await result()).result).toEqual({
      entries: [{ task_id: "mail:ada@example.org", error_excerpt: "[REDACTED]" }],
      results: [{ task_id: "1", status: "failed", error: "[REDACTED]" }],
      exception: "no secret",
    });
  });

  test("of a dead letter keeps the last 512 characters of the failure", async () => {
    const router = routerOf(() =>
      Promise.resolve({
        status: "success",
        result: { entries: [{ error_excerpt: `${"a".repeat(100)}${"b".repeat(512)}` }] },
      }),
    );

    router.handle(frame("c"));

    expect((await result()).result).toEqual({ entries: [{ error_excerpt: "b".repeat(512) }] });
  });

  test("that failed holds no secret in its error", async () => {
    routerOf(() => Promise.reject(new Error("cannot reach redis://user:hunter2@localhost:6379"))).handle(frame("c"));

    expect(await result()).toEqual({ status: "failed", error: "[REDACTED]" });
  });
});

describe("closing", () => {
  test("waits for what runs, reports it, and refuses what comes meanwhile", async () => {
    const { router, end } = holdingRouter();
    router.handle(frame("c"));
    const closed = router.close();

    router.handle(frame("late"));
    end("c");
    await closed;

    expect(results().map(({ id, payload }) => [id, payload.status, payload.error])).toEqual([
      ["late", "failed", "not carried out: the agent is shutting down"],
      ["c", "success", undefined],
    ]);
  });

  test("does not begin with what waits", async () => {
    const { router, begun, end } = holdingRouter();
    for (let at = 0; at < 18; at += 1) router.handle(frame(`c-${at}`));
    const closed = router.close();
    for (let at = 0; at < 16; at += 1) end(`c-${at}`);
    await closed;

    expect(begun).toHaveLength(16);
    expect(results().filter(({ payload }) => payload.status === "success")).toHaveLength(16);
    expect(
      results().filter(({ payload }) => payload.error === "not carried out: the agent stopped before it began"),
    ).toHaveLength(2);
  });

  test("leaves after 5 s what runs on, as of unknown outcome", async () => {
    const { router } = holdingRouter();
    router.handle(frame("c"));
    const closed = router.close();

    clock.advance(5_000);
    await closed;

    expect(results().map(({ payload }) => payload.error?.slice(0, 15))).toEqual(["outcome unknown"]);
    restart();
    expect(results()).toHaveLength(1);
  });
});
