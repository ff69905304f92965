import { type ActivityPage, type ActivityRow, ApiProblem } from "@svc/client";
import { describe, expect, test } from "vitest";
import { followActivity, placeOf, type SharedPage, type Tabs } from "./follow-activity.ts";

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

/** A browser with one clock, a service with the rows, and any number of tabs. */
function browser() {
  let now = 0;
  const timers = new Set<{ at: number; run: () => void }>();
  const stored: ActivityRow[] = [];
  const requests: string[] = [];
  const refusals: ApiProblem[] = [];
  const joined: { onLeader: (leads: boolean) => void; onShared: (page: SharedPage) => void }[] = [];

  async function settle(): Promise<void> {
    for (let step = 0; step < 20; step++) await Promise.resolve();
  }
  return {
    stored,
    requests,
    refusals,
    joined,
    settle,
    tab(from: string, view = { isHidden: false, limit: 100 }) {
      const own = { onLeader: (_: boolean) => {}, onShared: (_: SharedPage) => {} };
      const tabs: Tabs = {
        join(onLeader, onShared) {
          Object.assign(own, { onLeader, onShared });
          joined.push(own);
        },
        share(page) {
          for (const one of joined) if (one !== own) one.onShared(page);
        },
        leave: () => joined.splice(joined.indexOf(own), 1),
      };
      const follower = followActivity(from, {
        async read(since): Promise<ActivityPage> {
          requests.push(since);
          const refusal = refusals.shift();
          if (refusal) throw refusal;
          const newer = stored.filter((one) => placeOf(one) > since).reverse();
          const items = newer.slice(0, view.limit);
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
        isHidden: () => view.isHidden,
      });
      return { follower, view, lead: (leads: boolean) => own.onLeader(leads) };
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
  test("polls every 5 s while visible and every 30 s while hidden, only as the leader", async () => {
    const one = browser();
    const { lead, view, follower } = one.tab(place(1));
    await one.pass(60_000);
    expect(one.requests).toEqual([]);

    lead(true);
    await one.pass(20_000);
    expect(one.requests).toHaveLength(5);
    view.isHidden = true;
    follower.visibilityChanged();
    await one.pass(60_000);
    expect(one.requests).toHaveLength(7);
    lead(false);
    await one.pass(60_000);
    expect(one.requests).toHaveLength(7);
  });

  test("collects rows newer than the list, newest first, and requests only those it lacks", async () => {
    const one = browser();
    one.stored.push(...rowsOf(1));
    const { follower, lead } = one.tab(place(1));
    lead(true);
    one.stored.push(...rowsOf(2, 3));
    await one.pass(5_000);
    expect(follower.get().rows).toEqual(rowsOf(3, 2));
    one.stored.push(...rowsOf(4));
    await one.pass(5_000);
    expect(follower.get()).toEqual({ rows: rowsOf(4, 3, 2), hasMore: false, failure: null });
    expect(one.requests).toEqual([place(1), place(3)]);
  });

  test("reports that there are more rows than one poll returned", async () => {
    const one = browser();
    const { follower, lead } = one.tab("", { isHidden: false, limit: 2 });
    lead(true);
    one.stored.push(...rowsOf(1, 2, 3));
    await one.pass(5_000);
    expect(follower.get()).toMatchObject({ rows: rowsOf(3, 2), hasMore: true });
  });

  test("keeps at most 200 rows", async () => {
    const one = browser();
    const { follower, lead } = one.tab("", { isHidden: false, limit: 500 });
    lead(true);
    one.stored.push(...Array.from({ length: 250 }, (_, at) => row(at + 1)));
    await one.pass(5_000);
    expect(follower.get().rows).toHaveLength(200);
    expect(follower.get().hasMore).toBe(true);
  });

  test.each([
    [40, 40_000],
    [null, 60_000],
  ])("waits after a refusal with Retry-After %s, and then continues", async (seconds, waitMs) => {
    const one = browser();
    const { follower, lead } = one.tab("");
    lead(true);
    one.refusals.push(limited(seconds));
    await one.pass(5_000);
    expect(follower.get().failure).toMatchObject({ code: "rate_limited" });
    follower.retry();
    await one.pass(waitMs - 1);
    expect(one.requests).toHaveLength(1);
    one.stored.push(...rowsOf(1));
    await one.pass(1);
    expect(follower.get()).toEqual({ rows: rowsOf(1), hasMore: false, failure: null });
  });

  test("continues after any other failure, and keeps its rows", async () => {
    const one = browser();
    one.stored.push(...rowsOf(1));
    const { follower, lead } = one.tab("");
    lead(true);
    await one.pass(5_000);
    one.refusals.push(new ApiProblem({ code: "unreachable", status: 0, message: "offline" }));
    await one.pass(5_000);
    expect(follower.get()).toMatchObject({ rows: rowsOf(1), failure: { code: "unreachable" } });
    await one.pass(5_000);
    expect(follower.get().failure).toBeNull();
  });

  test("does not poll while paused", async () => {
    const one = browser();
    const { follower, lead } = one.tab("");
    lead(true);
    follower.setPaused(true);
    await one.pass(60_000);
    expect(one.requests).toEqual([]);
    follower.setPaused(false);
    await one.pass(0);
    expect(one.requests).toHaveLength(1);
  });

  test("one of several tabs polls, and all get the rows", async () => {
    const one = browser();
    one.stored.push(...rowsOf(1, 2));
    const first = one.tab(place(1));
    const second = one.tab(place(2));
    first.lead(true);
    one.stored.push(...rowsOf(3));
    await one.pass(5_000);
    expect(one.requests).toEqual([place(1)]);
    expect(first.follower.get().rows).toEqual(rowsOf(3, 2));
    expect(second.follower.get().rows).toEqual(rowsOf(3));
  });

  test("a tab that lacks rows before the shared ones polls for them", async () => {
    const one = browser();
    one.stored.push(...rowsOf(1, 2, 3, 4));
    const ahead = one.tab(place(3));
    const behind = one.tab(place(1));
    ahead.lead(true);
    await one.pass(5_000);
    await one.settle();
    expect(one.requests).toEqual([place(3), place(1)]);
    expect(behind.follower.get().rows).toEqual(rowsOf(4, 3, 2));
    expect(ahead.follower.get().rows).toEqual(rowsOf(4));
  });

  test("ends when its page is left", async () => {
    const one = browser();
    const { follower, lead } = one.tab("");
    lead(true);
    follower.end();
    await one.pass(60_000);
    expect([one.requests, one.joined]).toEqual([[], []]);
  });
});
