import { parseJson } from "@svc/protocol";
import { waitFor } from "@svc/testkit/peer";
import { describe, expect, test } from "vitest";
import { commandFrame, routerBench } from "../../test/router-bench.ts";
import { type Command, type CommandOutcome, failed } from "./command.ts";

const bench = routerBench();
const { routerOf, holdingRouter, restart, replies, results, result } = bench;

const fireFrame = (id: string, payload: Record<string, unknown> = {}) =>
  commandFrame(id, { action: "schedule.fire", parameters: { fire_id: `fire of ${id}` }, ...payload });

/** The process ends, and the next one, whose adapters have started, succeeds with everything that it executes. */
function restartAndStart(outcomeOf: (command: Command) => CommandOutcome = succeed) {
  const repeated: Command[] = [];
  const router = restart((command) => {
    repeated.push(command);
    return Promise.resolve(outcomeOf(command));
  });
  router.adaptersStarted();
  return { router, repeated };
}
const succeed = ({ id }: Command): CommandOutcome => ({ status: "success", result: { task_id: id } });
const unknownError =
  "outcome unknown: the agent stopped while the command was running. Check the engine before you repeat it";

describe("a fire that a killed process carried out", () => {
  test("is carried out again when the adapters have started, with its parameters and the rest of its time", async () => {
    const kwargs = parseJson('{"id":12345678901234567890}');
    const { router } = holdingRouter();
    router.handle(fireFrame("c", { parameters: { fire_id: "f", kwargs }, delivery_claim_token: "one" }));
    bench.clock.advance(20_500);

    const { repeated } = restartAndStart();

    expect(await result()).toEqual({ status: "success", result: { task_id: "c" }, delivery_claim_token: "one" });
    expect(repeated).toEqual([
      {
        ...{ id: "c", action: "schedule.fire", engine: "scripted", target: {} },
        ...{ parameters: { fire_id: "f", kwargs }, timeoutSeconds: 39 },
      },
    ]);
    expect(bench.buffer.repeatableCommand("c")).toBeUndefined();
    restartAndStart();
    expect(results()).toHaveLength(1);
  });

  test("is not carried out before the adapters have started, and a second delivery changes only its token", async () => {
    const { router } = holdingRouter();
    router.handle(fireFrame("c", { delivery_claim_token: "one" }));
    let runs = 0;
    const next = restart((command) => {
      runs += 1;
      return Promise.resolve(succeed(command));
    });

    next.handle(fireFrame("c", { delivery_claim_token: "two" }));
    next.tend();
    expect([runs, results()]).toEqual([0, []]);
    next.adaptersStarted();

    expect(await result()).toMatchObject({ status: "success", delivery_claim_token: "two" });
    next.handle(fireFrame("c", { delivery_claim_token: "three" }));
    expect(await result(2)).toMatchObject({ status: "success", delivery_claim_token: "three" });
    expect(runs).toBe(1);
    expect(replies()[1]).toEqual({ type: "command_ack", id: "c", payload: { delivery_claim_token: "two" } });
  });

  test("is carried out again after each kill", async () => {
    holdingRouter().router.handle(fireFrame("c"));
    for (let kill = 0; kill < 3; kill += 1) restart(() => new Promise(() => {})).adaptersStarted();
    expect(results()).toEqual([]);

    const { repeated } = restartAndStart();

    expect(await result()).toMatchObject({ status: "success" });
    expect(repeated).toHaveLength(1);
  });

  test("has an unknown outcome when its repetition fails", async () => {
    holdingRouter().router.handle(fireFrame("c"));

    restartAndStart(() => failed("Couldn't connect to Redis."));

    expect(await result()).toEqual({ status: "failed", error: "Couldn't connect to Redis.", outcome: "unknown" });
  });

  test("has an unknown outcome when less than a second of its time is left, or its repetition takes too long", async () => {
    const { router } = holdingRouter();
    router.handle(fireFrame("short", { timeout_seconds: 5 }));
    router.handle(fireFrame("long", { timeout_seconds: 10 }));
    bench.clock.advance(4_001);

    restart(() => new Promise(() => {})).adaptersStarted();
    expect(results()).toMatchObject([
      { id: "short", payload: { status: "failed", error: unknownError, outcome: "unknown" } },
    ]);
    bench.clock.advance(5_000);

    expect(results().at(-1)).toMatchObject({ id: "long", payload: { status: "failed", outcome: "unknown" } });
  });

  test("is repeated by another process of the agent", async () => {
    holdingRouter().router.handle(fireFrame("c"));
    const ended = bench.secondProcess();
    const successor = routerOf((command) => Promise.resolve(succeed(command)));
    successor.adaptersStarted();
    ended.close();
    expect(results()).toEqual([]);

    bench.buffer.tend();
    successor.tend();

    expect(await result()).toMatchObject({ status: "success" });
  });
});

describe("fires that waited in a killed process", () => {
  test("are carried out once each, with the running ones", async () => {
    const { router } = holdingRouter();
    for (let at = 0; at < 40; at += 1) router.handle(fireFrame(`c-${at}`));

    const { repeated } = restartAndStart();

    await result(40);
    expect(repeated.map(({ id }) => id).sort()).toEqual(Array.from({ length: 40 }, (_, at) => `c-${at}`).sort());
    expect(results().every(({ payload }) => payload.status === "success")).toBe(true);
  });

  test("fail like others when the repetition fails, because they had not begun", async () => {
    const { router } = holdingRouter();
    for (let at = 0; at < 17; at += 1)
      router.handle(commandFrame(`c-${at}`, at < 16 ? {} : { action: "schedule.fire" }));

    restartAndStart(() => failed("no such queue"));

    await result(17);
    expect(results().find(({ id }) => id === "c-16")?.payload).toEqual({ status: "failed", error: "no such queue" });
  });

  test("are reported as not carried out when their time is over", () => {
    const { router } = holdingRouter();
    for (let at = 0; at < 17; at += 1) router.handle(fireFrame(`c-${at}`));
    bench.clock.advance(59_001);

    restartAndStart();

    expect(results().find(({ id }) => id === "c-16")?.payload).toEqual({
      status: "failed",
      error: "not carried out: the agent stopped before the command started",
    });
  });
});

describe("fires of a process that stops", () => {
  test("are carried out by the next process if they run for too long or wait", async () => {
    const { router } = holdingRouter();
    for (let at = 0; at < 20; at += 1) router.handle(fireFrame(`c-${at}`));
    const closed = router.close();
    bench.clock.advance(5_000);
    await closed;
    expect(results()).toEqual([]);

    const { repeated } = restartAndStart();

    await result(20);
    expect(repeated.map(({ id }) => id).sort()).toEqual(Array.from({ length: 20 }, (_, at) => `c-${at}`).sort());
    expect(results().every(({ payload }) => payload.status === "success")).toBe(true);
  });

  test("succeed there if they end in time, and are not carried out again", async () => {
    const { router, end } = holdingRouter();
    router.handle(fireFrame("c"));
    const closed = router.close();
    end("c");
    await closed;

    const { repeated } = restartAndStart();

    expect(results().map(({ payload }) => payload.status)).toEqual(["success"]);
    expect(repeated).toEqual([]);
  });

  test("get no answer if they arrive or are repeated during the stop, so that the service sends them again", async () => {
    const { router } = holdingRouter();
    for (let at = 0; at < 17; at += 1) router.handle(fireFrame(`c-${at}`));
    const before = replies();
    const closed = router.close();

    for (const id of ["c-16", "late"]) router.handle(fireFrame(id, { delivery_claim_token: "two" }));
    bench.clock.advance(5_000);
    await closed;

    expect(replies()).toEqual(before);
    expect(bench.buffer.command("late")).toBeUndefined();
  });
});

test("a fire gets no answer while 1,000 commands wait, and is carried out when it is sent again", async () => {
  const { router, begun, end } = holdingRouter();
  for (let at = 0; at < 1_016; at += 1) router.handle(fireFrame(`c-${at}`));
  router.handle(fireFrame("more"));
  expect(replies().filter(({ id }) => id === "more")).toEqual([]);

  end("c-0");
  await result();
  router.handle(fireFrame("more"));
  for (let at = 1; at < 1_016; at += 1) {
    await waitFor(() => begun.length > at);
    end(`c-${at}`);
  }
  await waitFor(() => begun.includes("more"));
  end("more");
  await result(1_017);

  expect(begun).toHaveLength(1_017);
  expect(results().every(({ payload }) => payload.status === "success")).toBe(true);
});

test.each(["retry_task", "submit_task"])("a %s that a killed process carried out is not repeated", (action) => {
  holdingRouter().router.handle(commandFrame("c", { action }));
  expect(bench.buffer.command("c")).toMatchObject({ isBegun: 1 });

  const { repeated } = restartAndStart();

  expect(results().map(({ payload }) => payload)).toEqual([
    { status: "failed", error: unknownError, outcome: "unknown" },
  ]);
  expect(repeated).toEqual([]);
});
