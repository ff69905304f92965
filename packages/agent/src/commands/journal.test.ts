import { waitFor } from "@svc/testkit/peer";
import { describe, expect, test } from "vitest";
import { commandFrame, routerBench } from "../../test/router-bench.ts";

const success = { status: "success" } as const;
const bench = routerBench();
const { routerOf, holdingRouter, restart, replies, results, result } = bench;

describe("a second delivery", () => {
  test("of a running command is acknowledged, and the one result has the newest token", async () => {
    const { router, begun, end } = holdingRouter();
    router.handle(commandFrame("c", { delivery_claim_token: "one" }));
    router.handle(commandFrame("c", { delivery_claim_token: "two" }));

    end("c");

    await result();
    expect(begun).toEqual(["c"]);
    expect(replies().map(({ type, payload }) => [type, payload.delivery_claim_token])).toEqual([
      ["command_ack", "one"],
      ["command_ack", "two"],
      ["command_result", "two"],
    ]);
  });

  test("of a finished command gets its result again, with the new token", async () => {
    const { router, begun, end } = holdingRouter();
    router.handle(commandFrame("c", { delivery_claim_token: "one" }));
    end("c");
    await result();

    router.handle(commandFrame("c", { delivery_claim_token: "two" }));

    expect(begun).toEqual(["c"]);
    expect(results().map(({ payload }) => payload)).toEqual([
      { status: "success", result: { task_id: "c" }, delivery_claim_token: "one" },
      { status: "success", result: { task_id: "c" }, delivery_claim_token: "two" },
    ]);
  });

  test("is executed when 300 s have passed since the last one", async () => {
    let runs = 0;
    const router = routerOf(() => {
      runs += 1;
      return Promise.resolve(success);
    });
    router.handle(commandFrame("c"));
    await result(1);
    bench.clock.advance(299_999);
    router.handle(commandFrame("c"));
    bench.clock.advance(299_999);
    router.handle(commandFrame("c"));
    await result(3);
    expect(runs).toBe(1);

    bench.clock.advance(300_000);
    router.handle(commandFrame("c"));

    await result(4);
    expect(runs).toBe(2);
  });

  test("of a long-running command is never executed, however late it arrives", async () => {
    const { router, begun, end } = holdingRouter();
    router.handle(commandFrame("c", { timeout_seconds: 3_600, delivery_claim_token: "one" }));
    bench.clock.advance(3_000_000);

    router.handle(commandFrame("c", { delivery_claim_token: "two" }));
    end("c");

    expect(await result()).toMatchObject({ delivery_claim_token: "two" });
    expect(begun).toEqual(["c"]);
  });

  test("is recognised for the last 10,000 ids", async () => {
    let runs = 0;
    const router = routerOf(() => {
      runs += 1;
      return Promise.resolve(success);
    });
    const answered = (count: number) => waitFor(() => bench.buffer.depth === 2 * count); // ack and result of each
    for (let at = 0; at <= 10_000; at += 1) {
      router.handle(commandFrame(`c-${at}`));
      if (at % 500 === 499) await answered(at + 1);
    }
    await answered(10_001);

    router.handle(commandFrame("c-1"));
    await answered(10_002);
    expect(runs).toBe(10_001);
    router.handle(commandFrame("c-0"));
    await answered(10_003);
    expect(runs).toBe(10_002);
  });

  test("gets only the status when newer results fill the 8 MiB for large ones", async () => {
    const text = "x ".repeat(300_000);
    const router = routerOf(() => Promise.resolve({ status: "success", result: { text } }));
    for (let at = 0; at < 14; at += 1) router.handle(commandFrame(`c-${at}`));
    await result(14);

    router.handle(commandFrame("c-0"));
    router.handle(commandFrame("c-13"));

    expect(results().at(14)?.payload).toEqual({ status: "success" });
    expect(results().at(15)?.payload).toEqual({ status: "success", result: { text } });
    expect(bench.buffer.command("c-0")?.outcome).toBe('{"status":"success"}');
  });
});

describe("after a restart", () => {
  test("a second delivery gets its reply from the journal", async () => {
    const { router, end } = holdingRouter();
    router.handle(commandFrame("c", { delivery_claim_token: "one" }));
    end("c");
    await result();

    restart().handle(commandFrame("c", { delivery_claim_token: "two" }));

    expect(results().map(({ payload }) => payload)).toEqual([
      { status: "success", result: { task_id: "c" }, delivery_claim_token: "one" },
      { status: "success", result: { task_id: "c" }, delivery_claim_token: "two" },
    ]);
  });

  test("a running command is reported once, with unknown outcome, and never executed again", () => {
    const { router } = holdingRouter();
    router.handle(commandFrame("c", { delivery_claim_token: "one" }));
    router.handle(commandFrame("c", { delivery_claim_token: "two" }));

    const error =
      "outcome unknown: the agent stopped while the command was running. Check the engine before you repeat it";
    const next = restart();
    const unknown = { status: "failed", error, outcome: "unknown" };
    expect(results().map(({ payload }) => payload)).toEqual([{ ...unknown, delivery_claim_token: "two" }]);
    next.handle(commandFrame("c", { delivery_claim_token: "three" }));
    expect(results().at(-1)?.payload).toEqual({ ...unknown, delivery_claim_token: "three" });
    restart();
    expect(results()).toHaveLength(2);
  });

  test("a waiting command is reported as not carried out", () => {
    const { router, begun } = holdingRouter();
    for (let at = 0; at < 17; at += 1) router.handle(commandFrame(`c-${at}`));

    restart();

    expect(begun).toHaveLength(16);
    expect(results().filter(({ payload }) => payload.error?.startsWith("outcome unknown"))).toHaveLength(16);
    expect(results().find(({ id }) => id === "c-16")?.payload).toEqual({
      status: "failed",
      error: "not carried out: the agent stopped before the command started",
    });
  });

  test("a command is reported however long the agent was stopped, and ids finished 300 s ago are deleted", async () => {
    const { router, end } = holdingRouter();
    router.handle(commandFrame("ended"));
    end("ended");
    await result();
    router.handle(commandFrame("open", { timeout_seconds: 3_600 }));
    bench.clock.advance(1_000_000);

    restart();

    expect(results().at(-1)).toMatchObject({ id: "open", payload: { status: "failed" } });
    expect(bench.buffer.command("ended")).toBeUndefined();
  });

  test("another process of the agent replies for an ended one", () => {
    const { router } = holdingRouter();
    router.handle(commandFrame("c", { delivery_claim_token: "one" }));
    const ended = bench.secondProcess();
    const successor = routerOf(() => Promise.reject(new Error("carried out again")));
    expect(results()).toEqual([]);
    ended.close();

    bench.buffer.tend();
    successor.handle(commandFrame("c", { delivery_claim_token: "two" }));

    expect(results().map(({ payload }) => [payload.delivery_claim_token, payload.error?.slice(0, 15)])).toEqual([
      ["one", "outcome unknown"],
      ["two", "outcome unknown"],
    ]);
  });
});
