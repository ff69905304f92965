import { waitFor } from "@svc/testkit/peer";
import { describe, expect, test } from "vitest";
import { commandFrame, routerBench } from "../../test/router-bench.ts";

const success = { status: "success" } as const;
const bench = routerBench();
const { routerOf, holdingRouter, restart, replies, results, result } = bench;

describe("a command", () => {
  test("is acknowledged first, then its result follows", async () => {
    const router = routerOf(() => Promise.resolve({ status: "success", result: { task_id: "1" } }));

    router.handle(commandFrame("c", { delivery_claim_token: "t" }));

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

  test("is in the journal before its adapter receives it", async () => {
    let known: unknown;
    const router = routerOf(({ id }) => {
      known = bench.buffer.command(id);
      return Promise.resolve(success);
    });

    router.handle(commandFrame("c", { delivery_claim_token: "t" }));

    await result();
    expect(known).toMatchObject({ id: "c", action: "retry_task", token: "t", isBegun: 1, outcome: null });
    expect(bench.buffer.command("c")).toMatchObject({ outcome: '{"status":"success"}' });
  });

  test("that is invalid gets a result", async () => {
    routerOf(() => Promise.resolve(success)).handle({ id: "c", payload: null });

    expect(await result()).toEqual({ status: "failed", error: "unsupported: the command has no action" });
  });

  test("whose adapter throws has failed, with a text of at most 8192 characters", async () => {
    routerOf(() => Promise.reject(new Error("x ".repeat(8_000)))).handle(commandFrame("c"));

    const { status, error } = await result();
    expect(status).toBe("failed");
    expect(error).toBe("x ".repeat(4_096));
  });

  test("whose adapter throws a secret reveals it neither to the service nor in the log", async () => {
    routerOf(() => Promise.reject(new Error("cannot reach redis://user:hunter2@localhost:6379"))).handle(
      commandFrame("c"),
    );

    expect(await result()).toEqual({ status: "failed", error: "[REDACTED]" });
    expect(bench.logged).toContain("a command failed");
    expect(bench.logged).not.toContain("hunter2");
  });

  test.each([undefined, null, "ok", {}, { status: "done" }])("whose adapter returns %j has failed", async (given) => {
    routerOf(() => Promise.resolve(given as never)).handle(commandFrame("c"));

    expect(await result()).toEqual({ status: "failed", error: "the adapter returned no outcome" });
  });

  test("has a token of at most 64 characters, else none", async () => {
    const router = routerOf(() => Promise.resolve(success));

    router.handle(commandFrame("c", { delivery_claim_token: "x".repeat(65) }));

    expect(await result()).toEqual({ status: "success" });
  });
});

describe("time", () => {
  test("ends with the command's timeout, and a later result is not reported", async () => {
    const { router, end } = holdingRouter();
    router.handle(commandFrame("c", { timeout_seconds: 5, delivery_claim_token: "t" }));
    bench.clock.advance(4_999);
    expect(results()).toEqual([]);

    bench.clock.advance(1);
    end("c");
    const later = holdingRouter();
    later.router.handle(commandFrame("d"));
    later.end("d");
    await result(2);

    expect(results().map(({ id }) => id)).toEqual(["c", "d"]);
    expect(results()[0]?.payload).toEqual({
      status: "failed",
      error: "timed out after 5 s, it may still take effect",
      outcome: "unknown",
      delivery_claim_token: "t",
    });
  });

  test("runs while a command waits, which is not started after its timeout", async () => {
    const { router, begun, end } = holdingRouter();
    for (let at = 0; at < 16; at += 1) router.handle(commandFrame(`c-${at}`));
    router.handle(commandFrame("late", { timeout_seconds: 5 }));

    bench.clock.advance(5_000);
    end("c-0");

    expect(await result()).toEqual({
      status: "failed",
      error: "timed out after 5 s behind other commands, it was not started",
    });
    await result(2);
    expect(begun).not.toContain("late");
  });
});

describe("many commands", () => {
  test("run 16 concurrently, the others in order", async () => {
    const { router, begun, end } = holdingRouter();
    for (let at = 0; at < 19; at += 1) router.handle(commandFrame(`c-${at}`));
    expect(begun).toHaveLength(16);
    expect(replies().filter(({ type }) => type === "command_ack")).toHaveLength(19);

    end("c-7");
    end("c-3");
    await result(2);

    expect(begun.slice(16)).toEqual(["c-16", "c-17"]);
    expect(bench.buffer.command("c-18")).toMatchObject({ isBegun: 0 });
  });

  test("wait up to 1,000; more are refused", async () => {
    const { router, begun } = holdingRouter();
    for (let at = 0; at < 1_017; at += 1) router.handle(commandFrame(`c-${at}`));

    expect(results()).toEqual([
      {
        type: "command_result",
        id: "c-1016",
        payload: { status: "failed", error: "busy: 1000 commands are waiting already" },
      },
    ]);
    expect(begun).toHaveLength(16);
  });

  test("are refused while 64 still run after their timeout, and accepted again when one has finished", async () => {
    const { router, begun, end } = holdingRouter();
    for (let round = 0; round < 4; round += 1) {
      for (let at = 0; at < 16; at += 1) router.handle(commandFrame(`c-${round}-${at}`, { timeout_seconds: 5 }));
      bench.clock.advance(5_000);
    }
    expect(begun).toHaveLength(64);
    router.handle(commandFrame("refused"));
    expect(results().at(-1)?.payload.error).toBe(
      "busy: 64 earlier commands are still running after their timeout, the engine does not respond",
    );

    end("c-0-0");
    await waitFor(() => {
      router.handle(commandFrame(`later-${begun.length}-${replies().length}`));
      return begun.length > 64;
    });
  });
});

describe("closing", () => {
  test("waits for running commands, reports them, and refuses new ones", async () => {
    const { router, end } = holdingRouter();
    router.handle(commandFrame("c"));
    const closed = router.close();

    router.handle(commandFrame("late"));
    end("c");
    await closed;

    expect(results().map(({ id, payload }) => [id, payload.status, payload.error])).toEqual([
      ["late", "failed", "not carried out: the agent is shutting down"],
      ["c", "success", undefined],
    ]);
  });

  test("does not begin with what waits", async () => {
    const { router, begun, end } = holdingRouter();
    for (let at = 0; at < 18; at += 1) router.handle(commandFrame(`c-${at}`));
    const closed = router.close();
    for (let at = 0; at < 16; at += 1) end(`c-${at}`);
    await closed;

    expect(begun).toHaveLength(16);
    expect(results().filter(({ payload }) => payload.status === "success")).toHaveLength(16);
    expect(
      results().filter(
        ({ payload }) => payload.error === "not carried out: the agent stopped before the command started",
      ),
    ).toHaveLength(2);
  });

  test("leaves after 5 s what runs on, as of unknown outcome", async () => {
    const { router } = holdingRouter();
    router.handle(commandFrame("c"));
    const closed = router.close();

    bench.clock.advance(5_000);
    await closed;

    expect(results().map(({ payload }) => [payload.error?.slice(0, 15), payload.outcome])).toEqual([
      ["outcome unknown", "unknown"],
    ]);
    restart();
    expect(results()).toHaveLength(1);
  });
});
