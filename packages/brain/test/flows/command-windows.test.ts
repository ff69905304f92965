import { readFile } from "node:fs/promises";
import { shareOf, waitFor } from "@svc/testkit";
import { testDialects } from "@svc/testkit/databases";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startWindows, type Transport, type Windows } from "../fixtures/command-windows-fixture.ts";

const notBegun = "not carried out: the agent stopped before the command started";
const unknown =
  "outcome unknown: the agent stopped while the command was running. Check the engine before you repeat it";
const noResult = "no result from the agent in time";

interface Outcome {
  readonly status: "completed" | "failed" | "timeout";
  readonly error: string | null;
  /** How often the engine executed it. */
  readonly carriedOut: 0 | 1;
}

const completed: Outcome = { status: "completed", error: null, carriedOut: 1 };
const neverArrived: Outcome = { status: "timeout", error: noResult, carriedOut: 0 };

interface KillWindow {
  readonly killed: "brain" | "agent";
  readonly between: string;
  /** Issues a command that must not run twice, kills the service in the window and restarts it; returns the task. */
  act(windows: Windows, command: "retry-task" | "cancel-task"): Promise<string>;
  readonly outcome: Outcome;
  /** The result for a repeatable command, where it differs: polls receive it again. */
  readonly repeated?: Outcome;
  /** Where polls differ: an upload has an answer, a frame on a socket has none. */
  readonly longpoll?: Outcome;
}

/** Every point at which kill -9 can interrupt a command. docs/concepts/commands.md has the same table. */
const killWindows: readonly KillWindow[] = [
  {
    killed: "brain",
    between: "claim and send",
    async act(windows, command) {
      await windows.killAt("send-command", () => windows.issue(command));
      await windows.restartBrain();
      return windows.lastIssued();
    },
    outcome: neverArrived,
    repeated: completed,
  },
  {
    killed: "brain",
    between: "send and execution",
    async act(windows, command) {
      await windows.occupy();
      const taskId = await windows.issue(command);
      await windows.acked(taskId);
      await windows.brain().kill();
      windows.agent().endAll();
      await waitFor(() => windows.carriedOut(taskId) === 1);
      windows.agent().endAll();
      await windows.restartBrain();
      return taskId;
    },
    outcome: completed,
  },
  {
    killed: "brain",
    between: "execution and result",
    async act(windows, command) {
      const taskId = await windows.issue(command);
      await waitFor(() => windows.carriedOut(taskId) === 1);
      await windows.brain().kill();
      windows.agent().endAll();
      await windows.restartBrain();
      return taskId;
    },
    outcome: completed,
  },
  {
    killed: "brain",
    between: "receiving and storing the result",
    async act(windows, command) {
      const taskId = await windows.issue(command);
      await waitFor(() => windows.carriedOut(taskId) === 1);
      await windows.killAt("receive-result", async () => windows.agent().endAll());
      await windows.restartBrain();
      return taskId;
    },
    outcome: completed,
  },
  {
    killed: "agent",
    between: "claim and send",
    async act(windows, command) {
      windows.agent().freeze();
      const taskId = await windows.issue(command);
      await windows.whenStatus(taskId, "dispatched");
      await windows.killAgent();
      await windows.startAgent();
      return taskId;
    },
    outcome: neverArrived,
    repeated: completed,
  },
  {
    killed: "agent",
    between: "send and execution",
    async act(windows, command) {
      await windows.occupy();
      const taskId = await windows.issue(command);
      await windows.acked(taskId);
      await windows.killAgent();
      await windows.startAgent();
      return taskId;
    },
    outcome: { status: "failed", error: notBegun, carriedOut: 0 },
  },
  {
    killed: "agent",
    between: "execution and result",
    async act(windows, command) {
      const taskId = await windows.issue(command);
      await waitFor(() => windows.carriedOut(taskId) === 1);
      await windows.killAgent();
      await windows.startAgent();
      return taskId;
    },
    outcome: { status: "failed", error: unknown, carriedOut: 1 },
  },
  {
    killed: "agent",
    between: "result and sending it",
    async act(windows, command) {
      const taskId = await windows.issue(command);
      const agent = windows.agent();
      await waitFor(() => windows.carriedOut(taskId) === 1);
      windows.network.down();
      agent.endAll();
      await waitFor(() => agent.ended.some((command) => command.taskId === taskId));
      await windows.killAgent();
      windows.network.heal();
      await windows.startAgent();
      return taskId;
    },
    outcome: completed,
  },
];

const setups = testDialects.flatMap((dialect) =>
  (["longpoll", "ws"] as const satisfies Transport[]).map((transport) => [dialect, transport] as const),
);
/** Each kill runs once per transport, alternating between the databases. */
const windowsOf = ([dialect, transport]: (typeof setups)[number]) => {
  const turn = transport === "ws" ? testDialects : testDialects.toReversed();
  return shareOf(killWindows, turn, dialect);
};

describe.each(setups)("kill -9 on %s over %s", (dialect, transport) => {
  let windows: Windows;
  beforeAll(async () => {
    windows = await startWindows(dialect, transport);
    await windows.startAgent();
  });
  afterAll(() => windows?.stop());

  async function expectOutcome(taskId: string, { status, error, carriedOut }: Outcome): Promise<void> {
    // Afterwards both work as before; a second copy would have arrived by now.
    await windows.ready();
    if (status === "timeout") await windows.expireCommand(taskId);
    const ends = setInterval(() => windows.agent().endAll(), 50);
    const ended = await windows.whenStatus(taskId, status).finally(() => clearInterval(ends));
    await windows.ready();
    expect({ status: ended.status, error: ended.error, carriedOut: windows.carriedOut(taskId) }).toEqual({
      status,
      error,
      carriedOut,
    });
  }

  for (const { killed, between, act, outcome, repeated, longpoll } of windowsOf([dialect, transport])) {
    const own = (transport === "longpoll" ? longpoll : undefined) ?? outcome;
    test(`of the ${killed} between ${between}: ${own.status}, carried out ${own.carriedOut} times`, async () => {
      await expectOutcome(await act(windows, "retry-task"), own);
    });

    if (transport !== "longpoll" || repeated === undefined) continue;
    test(`of the ${killed} between ${between}, for a repeatable command: sent again`, async () => {
      await expectOutcome(await act(windows, "cancel-task"), repeated);
    });
  }

  test("of both before the claim: the command waits for its agent, which receives it once", async () => {
    await windows.killAgent();
    const taskId = await windows.issue("restart-worker");
    await windows.brain().kill();
    await windows.restartBrain();
    expect(await windows.whenStatus(taskId, "pending")).toMatchObject({ error: null });
    await windows.startAgent();
    await expectOutcome(taskId, completed);
  });
});

test("docs/concepts/commands.md has this table", async () => {
  const docs = await readFile(new URL("../../../../docs/concepts/commands.md", import.meta.url), "utf8");
  const rows = docs.match(/^\| (brain|agent) \| .+ \| .+ \| .+ \|$/gm)?.map((row) => row.split(" | ").slice(0, 3));
  const wordsOf = ({ status, carriedOut }: Outcome) =>
    `\`${status}\`, ${carriedOut === 1 ? "carried out once" : "not carried out"}`;
  expect(rows).toEqual(
    killWindows.map(({ killed, between, outcome, longpoll }) => [
      `| ${killed}`,
      between,
      longpoll === undefined ? wordsOf(outcome) : `${wordsOf(outcome)}; polls: ${wordsOf(longpoll)}`,
    ]),
  );
});
