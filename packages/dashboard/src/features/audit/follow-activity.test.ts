import { type ActivityPage, type ActivityRow, ApiProblem } from "@svc/client";
import { describe, expect, test } from "vitest";
import { followActivity, placeOf, type Tabs, type ToldPage } from "./follow-activity.ts";

const row = (at: number): ActivityRow => ({
  id: `00000000-0000-4000-8000-${String(at).padStart(12, "0")}`,
  project_id: null,
  project_slug: null,
  user_id: null,
  action: "auth.login",
  target_type: "user",
  target_id: null,
  result: "success",
  outcome: "allow",
  metadata: {},
  source_ip: null,
  occurred_at: `2026-11-22T10:00:00.${String(at).padStart(6, "0")}Z`,
});
const place = (at: number) => placeOf(row(at));
const rowsOf = (...at: number[]) => at.map(row);

/** A browser with one clock, one service that has the rows, and any number of tabs. */
function browser() {
  let now = 0;
  const timers = new Set<{ at: number; run: () => void }>();
  const stored: ActivityRow[] = [];
  const asked: string[] = [];
  const refusals: ApiProblem[] = [];
  const joined: { onTurn: (mine: boolean) => void; onTold: (told: ToldPage) => void }[] = [];

  async function settle(): Promise<void> {
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  }
  return {
    stored,
    asked,
    refusals,
    joined,
    settle,
    tab(from: string, look = { isHidden: false, limit: 100 }) {
      const own = { onTurn: (_: boolean) => {}, onTold: (_: ToldPage) => {} };
      const tabs: Tabs = {
        join(onTurn, onTold) {
          Object.assign(own, { onTurn, onTold });
          joined.push(own);
        },
        tell(told) {
          for (const one of joined) if (one !== own) one.onTold(told);
        },
        leave: () => joined.splice(joined.indexOf(own), 1),
      };
      const follower = followActivity(from, {
        async read(since): Promise<ActivityPage> {
          asked.push(since);
          const refusal = refusals.shift();
          if (refusal) throw refusal;
          const newer = stored.filter((one) => placeOf(one) > since).reverse();
          const items = newer.slice(0, look.limit);
          const [newest] = items;
          const oldest = items.at(-1);
          return {
            items,
            next_before_cursor: newer.length > items.length && oldest ? placeOf(oldest) : null,
            newest_cursor: newest ? placeOf(newest) : since || null,
          };
        },
        tabs,
        now: () => now,
        after(ms, run) {
          const timer = { at: now + ms, run };
          timers.add(timer);
          return () => timers.delete(timer);
        },
        isHidden: () => look.isHidden,
      });
      return { follower, look, turn: (mine: boolean) => own.onTurn(mine) };
    },
    async pass(ms: number) {
      const until = now + ms;
      for (;;) {
        const [next] = [...timers].filter(({ at }) => at <= until).sort((a, b) => a.at - b.at);
        if (next === undefined) break;
        timers.delete(next);
        now = Math.max(now, next.at);
        next.run();
        await settle();
      }
      now = until;
    },
  };
}

const limited = (retryAfterSeconds: number | null) =>
  new ApiProblem({ code: "rate_limited", status: 429, message: "slow down", retryAfterSeconds });

describe("following activity", () => {
  test("reads every 5 s while it is looked at and every 30 s while it is not, only in its turn", async () => {
    const one = browser();
    const { turn, look, follower } = one.tab(place(1));
    await one.pass(60_000);
    expect(one.asked).toEqual([]);

    turn(true);
    await one.pass(20_000);
    expect(one.asked).toHaveLength(5);
    look.isHidden = true;
    follower.looked();
    await one.pass(60_000);
    expect(one.asked).toHaveLength(7);
    turn(false);
    await one.pass(60_000);
    expect(one.asked).toHaveLength(7);
  });

  test("collects what is newer than the list, newest first, and asks only for what it has not", async () => {
    const one = browser();
    one.stored.push(...rowsOf(1));
    const { follower, turn } = one.tab(place(1));
    turn(true);
    one.stored.push(...rowsOf(2, 3));
    await one.pass(5_000);
    expect(follower.get().rows).toEqual(rowsOf(3, 2));
    one.stored.push(...rowsOf(4));
    await one.pass(5_000);
    expect(follower.get()).toEqual({ rows: rowsOf(4, 3, 2), hasMore: false, failure: null });
    expect(one.asked).toEqual([place(1), place(3)]);
  });

  test("says that there are more than a look brought", async () => {
    const one = browser();
    const { follower, turn } = one.tab("", { isHidden: false, limit: 2 });
    turn(true);
    one.stored.push(...rowsOf(1, 2, 3));
    await one.pass(5_000);
    expect(follower.get()).toMatchObject({ rows: rowsOf(3, 2), hasMore: true });
  });

  test("keeps at most 200 rows", async () => {
    const one = browser();
    const { follower, turn } = one.tab("", { isHidden: false, limit: 500 });
    turn(true);
    one.stored.push(...Array.from({ length: 250 }, (_, at) => row(at + 1)));
    await one.pass(5_000);
    expect(follower.get().rows).toHaveLength(200);
    expect(follower.get().hasMore).toBe(true);
  });

  // Part 1, Activity feed: 429 answers with Retry-After.
  test.each([
    [40, 40_000],
    [null, 60_000],
  ])("waits after a refusal with Retry-After %s, and then goes on", async (seconds, waitMs) => {
    const one = browser();
    const { follower, turn } = one.tab("");
    turn(true);
    one.refusals.push(limited(seconds));
    await one.pass(5_000);
    expect(follower.get().failure).toMatchObject({ code: "rate_limited" });
    follower.retry();
    await one.pass(waitMs - 1);
    expect(one.asked).toHaveLength(1);
    one.stored.push(...rowsOf(1));
    await one.pass(1);
    expect(follower.get()).toEqual({ rows: rowsOf(1), hasMore: false, failure: null });
  });

  test("goes on after any other failure, and keeps what it had", async () => {
    const one = browser();
    one.stored.push(...rowsOf(1));
    const { follower, turn } = one.tab("");
    turn(true);
    await one.pass(5_000);
    one.refusals.push(new ApiProblem({ code: "unreachable", status: 0, message: "gone" }));
    await one.pass(5_000);
    expect(follower.get()).toMatchObject({ rows: rowsOf(1), failure: { code: "unreachable" } });
    await one.pass(5_000);
    expect(follower.get().failure).toBeNull();
  });

  test("stands still while everything is paused", async () => {
    const one = browser();
    const { follower, turn } = one.tab("");
    turn(true);
    follower.setPaused(true);
    await one.pass(60_000);
    expect(one.asked).toEqual([]);
    follower.setPaused(false);
    await one.pass(0);
    expect(one.asked).toHaveLength(1);
  });

  test("of several tabs one reads, and all know", async () => {
    const one = browser();
    one.stored.push(...rowsOf(1, 2));
    const first = one.tab(place(1));
    const second = one.tab(place(2));
    first.turn(true);
    one.stored.push(...rowsOf(3));
    await one.pass(5_000);
    expect(one.asked).toEqual([place(1)]);
    expect(first.follower.get().rows).toEqual(rowsOf(3, 2));
    expect(second.follower.get().rows).toEqual(rowsOf(3));
  });

  test("a tab that was told of rows beyond what it has reads the rest itself", async () => {
    const one = browser();
    one.stored.push(...rowsOf(1, 2, 3, 4));
    const ahead = one.tab(place(3));
    const behind = one.tab(place(1));
    ahead.turn(true);
    await one.pass(5_000);
    await one.settle();
    expect(one.asked).toEqual([place(3), place(1)]);
    expect(behind.follower.get().rows).toEqual(rowsOf(4, 3, 2));
    expect(ahead.follower.get().rows).toEqual(rowsOf(4));
  });

  test("ends with its page", async () => {
    const one = browser();
    const { follower, turn } = one.tab("");
    turn(true);
    follower.end();
    await one.pass(60_000);
    expect([one.asked, one.joined]).toEqual([[], []]);
  });
});
