import { describe, expect, test } from "vitest";
import {
  areAccounted,
  type RefusalAccounts,
  type RefusedFlood,
  readAccounts,
  refusalRows,
  refusedFloodOf,
} from "./refusal-accounts.ts";

const floods: readonly RefusedFlood[] = [
  { action: "agent.auth.bearer_failed", refusals: 1, unanswered: 0 },
  { action: "agent.auth.bearer_failed", refusals: 6000, unanswered: 0 },
  { action: "auth.login_failed", refusals: 20, unanswered: 0 },
  { action: "auth.login_failed", refusals: 66, unanswered: 0 },
  { action: "auth.password_reset_requested", refusals: 10, unanswered: 0 },
  { action: "auth.password_reset_requested", refusals: 100, unanswered: 0 },
];

const complete: RefusalAccounts = {
  "agent.auth.bearer_failed": { rows: 11, suppressed: 5990 },
  "auth.login_failed": { rows: 86, suppressed: 0 },
  "auth.password_reset_requested": { rows: 90, suppressed: 20 },
};

const violations = (accounts: RefusalAccounts, of = floods) =>
  refusalRows("SQLite", of, accounts)
    .filter(({ pass }) => !pass)
    .map(({ name, figure }) => `${name}: ${figure}`);

describe("the accounting of refusals", () => {
  test("is complete when rows and summaries cover all refusals", () => {
    expect(areAccounted(floods, complete)).toBe(true);
    expect(violations(complete)).toEqual([]);
  });

  test.each(floods.map(({ action, refusals }) => [refusals, action] as const))(
    "detects the %d missing of one flood in %s",
    (refusals, action) => {
      const lost = { ...complete, [action]: { ...complete[action], rows: complete[action].rows - refusals } };
      expect(areAccounted(floods, lost)).toBe(false);
      expect(violations(lost)).toEqual([expect.stringContaining(`SQLite: ${action}: of `)]);
    },
  );

  test("does not offset one action's loss with another's surplus", () => {
    const shifted: RefusalAccounts = {
      ...complete,
      "agent.auth.bearer_failed": { rows: 11, suppressed: 6990 },
      "auth.login_failed": { rows: 66, suppressed: 0 },
    };
    expect(areAccounted(floods, shifted)).toBe(false);
    expect(violations(shifted)).toEqual([
      "SQLite: agent.auth.bearer_failed: accounted for beyond them, which could hide the loss of a flood: 1000",
      "SQLite: auth.login_failed: of 86 refusals, accounted for by an audit row or a summary row: 66",
    ]);
  });

  test("fails when an action's surplus could hide its smallest flood", () => {
    const withMore = (rows: number) => violations({ ...complete, "auth.login_failed": { rows, suppressed: 0 } });
    expect(withMore(86 + 19)).toEqual([]);
    expect(withMore(86 + 20)).toHaveLength(1);
  });

  test("fails when nothing was refused", () => {
    const none = { rows: 0, suppressed: 0 };
    const empty = Object.fromEntries(
      Object.keys(complete).map((action) => [action, none]),
    ) as unknown as RefusalAccounts;
    expect(violations(empty, [])).toHaveLength(3);
  });

  test("is read from rows and from the kinds of the summaries", async () => {
    const summary = (kinds: object) => ({ metadata: JSON.stringify({ count: 99, kinds }) });
    const read = await readAccounts(async (sql) =>
      sql.includes("GROUP BY")
        ? [
            { action: "auth.login_failed", n: "86" },
            { action: "agent.auth.bearer_failed", n: 11 },
          ]
        : [
            summary({ "agent.auth.bearer_failed": 5000, "auth.other": 7 }),
            summary({ "agent.auth.bearer_failed": 990 }),
          ],
    );
    expect(read).toEqual({
      "agent.auth.bearer_failed": { rows: 11, suppressed: 5990 },
      "auth.login_failed": { rows: 86, suppressed: 0 },
      "auth.password_reset_requested": { rows: 0, suppressed: 0 },
    });
  });

  test("expects the refusals that a flood received", () => {
    const result = { sent: 700, statuses: { "401": 600, "429": 90, "0": 4 }, refusedBlocks: 1 };
    expect(refusedFloodOf("agent tokens, long-poll", result)).toEqual({
      action: "agent.auth.bearer_failed",
      refusals: 1,
      unanswered: 10,
    });
    expect(refusedFloodOf("sign-ins, known account", result)).toMatchObject({
      action: "auth.login_failed",
      refusals: 600,
    });
    expect(refusedFloodOf("password resets", { ...result, statuses: { "200": 10, "429": 690 } })).toEqual({
      action: "auth.password_reset_requested",
      refusals: 10,
      unanswered: 0,
    });
    expect(refusedFloodOf("unknown API keys", result)).toBeNull();
  });
});
