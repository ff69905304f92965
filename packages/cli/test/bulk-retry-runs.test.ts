import type { BulkRetryRequest } from "@svc/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CommandContext } from "./in-process.ts";
import { type Shop, startShop } from "./shop.ts";
import { scratchFolder, startSvc } from "./svc-process.ts";

/** Creations are limited to ten per minute, so every group has its own service. */
function useShop() {
  let shop: Shop;
  beforeAll(async () => {
    shop = await startShop();
  });
  afterAll(() => shop?.brain.stop());
  const ask = (words: readonly string[], around?: CommandContext) =>
    shop.signedIn(["bulk-retry", ...words], "operator", around);
  return {
    shop: () => shop,
    ask,
    create: (...words: string[]) => ask(["create", "--yes", ...words]),
    /** Failed tasks `<queue>-0` … in their own queue. */
    async failing(queue: string, count: number): Promise<string[]> {
      const ids = Array.from({ length: count }, (_, index) => `${queue}-${index}`);
      await shop.engine.fail(ids, queue);
      return ids;
    },
    /** Retried tasks of a queue, in order. */
    retriedOf: (queue: string) =>
      shop.engine.done.filter((what) => what.startsWith(`bulk_retry ${queue}-`)).map((what) => what.split(" ")[1]),
    /** Starts a bulk retry without waiting for it. */
    async begin(...words: string[]): Promise<string> {
      const { code, out } = await ask(["create", "--yes", "--no-wait", "--json", ...words]);
      expect(code).toBe(0);
      return JSON.parse(out).id;
    },
    shown: async (id: string): Promise<BulkRetryRequest> => JSON.parse((await ask(["show", id, "--json"])).out),
  };
}

describe("svc bulk-retry create", () => {
  const { shop, ask, create, failing, retriedOf } = useShop();

  test("retries every task of a queue once and prints the result", async () => {
    const ids = await failing("mail", 20);
    const { code, out, err } = await create("--queue", "mail");
    expect(code).toBe(0);
    expect(out).toMatch(/^\S{36} {2}succeeded {2}20 tasks: 20 succeeded, 0 failed, 0 unknown, 0 remaining\n$/);
    expect(err).toMatch(/^svc: bulk retry \S{36} of 20 tasks started\. Follow it with svc bulk-retry watch \S{36}\n$/);
    expect(retriedOf("mail").sort()).toEqual(ids.sort());
  });

  test("shows a progress bar on a terminal and prints one JSON document", async () => {
    await failing("bar", 12);
    const shown: string[] = [];
    const { code, out } = await ask(["create", "--yes", "--queue", "bar", "--json"], { shown });
    expect(code).toBe(0);
    const request = JSON.parse(out);
    expect((await shop().brain.as.operator.get(`/projects/shop/bulk-retry-requests/${request.id}`)).body).toEqual(
      request,
    );
    expect(shown.at(-2)).toMatch(/^retrying \[#{24}\] 100% 12 of 12/);
    expect(shown.at(-1)).toBe("");
  });

  test("asks for confirmation on a terminal and accepts no", async () => {
    await failing("asked", 3);
    const words = ["create", "--queue", "asked"];
    expect(await ask(words, { typed: "no\n" })).toEqual({
      code: 6,
      out: "",
      err: "svc: nothing was retried. Use --yes to retry 3 tasks without confirmation\n",
    });
    expect(retriedOf("asked")).toEqual([]);
    expect(await ask(words, { typed: "yes\n" })).toMatchObject({ code: 0 });
    expect(retriedOf("asked")).toHaveLength(3);
  });

  test("accepts task ids and an agent", async () => {
    await failing("named", 4);
    const words = ["--engine", "shop", "--task", "named-1", "--task", "named-3", "--agent", shop().agentId];
    expect(await create(...words)).toMatchObject({ code: 0, out: expect.stringContaining("2 succeeded") });
    expect(retriedOf("named").sort()).toEqual(["named-1", "named-3"]);
  });

  test("exits with 1 when some tasks could not be retried", async () => {
    await failing("partly", 4);
    shop().engine.refuses.set("partly-2", "the job is locked");
    const shown: string[] = [];
    const { code, out } = await ask(["create", "--yes", "--queue", "partly"], { shown });
    expect(code).toBe(1);
    expect(out).toMatch(/ {2}partial {2}4 tasks: 3 succeeded, 1 failed, 0 unknown, 0 remaining\n$/);
    expect(shown.at(-2)).toContain("4 of 4, 1 failed");
  });

  test("does nothing when nothing matches", async () => {
    const { code, out } = await create("--queue", "empty");
    expect([code, out]).toEqual([0, expect.stringMatching(/ {2}no_match {2}0 tasks: /)]);
  });

  test("with the same key starts nothing new", async () => {
    await failing("keyed", 2);
    const first = JSON.parse((await create("--queue", "keyed", "--key", "deploy-1", "--json")).out);
    const second = JSON.parse((await create("--queue", "keyed", "--key", "deploy-1", "--json")).out);
    expect(second.id).toBe(first.id);
    expect(retriedOf("keyed")).toHaveLength(2);
    const other = await create("--queue", "mail", "--key", "deploy-1");
    expect(other).toMatchObject({ code: 6, err: expect.stringContaining("reason: idempotency_key_in_use") });
  });
});

describe("svc bulk-retry create --query", () => {
  const { create, failing, retriedOf } = useShop();

  test("retries the matches of a query, and refuses more than --max", async () => {
    await failing("queried", 12);
    const found = await create("--query", "queue:queried id:queried-1,queried-7");
    expect(found.code).toBe(0);
    expect(found.out).toContain("succeeded  2 tasks: 2 succeeded");
    expect(retriedOf("queried").sort()).toEqual(["queried-1", "queried-7"]);
    const { code, out, err } = await create("--query", "queue:queried", "--max", "9");
    expect(code).toBe(1);
    expect(out).toContain("refused  0 tasks");
    expect(err).toContain("svc: refused: more than 9 tasks match. Narrow the filter, or raise --max\n");
  });
});

describe("svc bulk-retry", () => {
  const { ask, begin, failing } = useShop();

  test("list shows the bulk retries of the project, newest first, by pages", async () => {
    expect(await ask(["list"])).toEqual({ code: 0, out: "", err: "svc: no bulk retries found\n" });
    await failing("mail", 2);
    const first = await begin("--queue", "mail");
    expect(await ask(["watch", first])).toMatchObject({ code: 0 });
    const second = await begin("--queue", "nothing");
    const { out, err } = await ask(["list"]);
    expect(err).toBe("");
    expect(out).toMatch(
      new RegExp(
        `^ID +STATUS +TASKS +SUCCEEDED +FAILED +UNKNOWN +REMAINING +CREATED\n${second} +no_match +0 +0 +0 +0 +0 +\\S+\n${first} +succeeded +2 +2 +0 +0 +0 +\\S+\n$`,
      ),
    );
    const page = await ask(["list", "--limit", "1", "--json"]);
    const { items, next_cursor: cursor } = JSON.parse(page.out);
    expect(items).toMatchObject([{ id: second, status: "no_match" }]);
    expect((await ask(["list", "--limit", "1"])).err).toBe(`svc: more results: add --cursor ${cursor}\n`);
    const rest = JSON.parse((await ask(["list", "--cursor", cursor, "--json"])).out);
    expect(rest).toMatchObject({ items: [{ id: first }], next_cursor: null });
    expect(await ask(["list", "--limit", "0"])).toMatchObject({ code: 2 });
  });

  test("create warns when a rate is too slow for the time limit", async () => {
    await failing("slow", 16);
    const words = ["create", "--yes", "--no-wait", "--queue", "slow"];
    const { code, err } = await ask([...words, "--rate", "1"]);
    expect(code).toBe(0);
    expect(err).toBe(
      "svc: sending 16 tasks at 1 per minute takes 16 minutes, but the bulk retry is blocked after 15. Continue it then with svc bulk-retry resume\n",
    );
    expect(await ask([...words, "--rate", "2"])).toMatchObject({ code: 0, err: "" });
  });
});

describe("svc bulk-retry create is refused", () => {
  const { shop, create, failing } = useShop();

  test("when more tasks match than --max, with both numbers", async () => {
    await failing("mail", 3);
    const { code, err } = await create("--queue", "mail", "--max", "2");
    expect(code).toBe(6);
    expect(err).toMatch(/max is lower than the number of matching tasks/);
    expect(err).toMatch(/^ {5}matched: 3$/m);
    expect(err).toContain("raise --max, up to 10,000");
  });

  test("for an engine that no agent advertises, and for a missing agent", async () => {
    const { code, err } = await create("--engine", "celery");
    expect(code).toBe(6);
    expect(err).toContain("no agent of this project advertises bulk_retry for celery");
    expect(err).toMatch(/^ {5}reason: engine_not_advertised$/m);
    const agentId = "00000000-0000-7000-8000-000000000000";
    expect(await create("--queue", "mail", "--agent", agentId)).toMatchObject({
      code: 5,
      err: expect.stringContaining("agent not found"),
    });
    expect(await create("--queue", "mail", "--agent", "unknown")).toMatchObject({ code: 6 });
  });

  test("to a viewer, and to a key", async () => {
    const words = ["bulk-retry", "create", "--queue", "mail", "--yes"];
    expect(await shop().signedIn(words, "viewer")).toMatchObject({
      code: 6,
      err: expect.stringContaining("required: operator"),
    });
    expect(await shop().withKey(words)).toEqual({ code: 6, out: "", err: "svc: not signed in. Run svc login\n" });
    expect(shop().engine.done).toEqual([]);
  });

  test("in a missing project, and at another service than the session's", async () => {
    expect(await create("--queue", "mail", "--project", "nowhere")).toMatchObject({ code: 5 });
    expect(await create("--queue", "mail", "--brain", "http://localhost:1")).toMatchObject({
      code: 6,
      err: expect.stringContaining("is signed in at"),
    });
  });

  test("over the limit of ten per minute, with the time to wait", async () => {
    let ran = await create("--queue", "empty");
    for (let count = 1; ran.code === 0 && count < 20; count += 1) ran = await create("--queue", "empty");
    expect(ran).toMatchObject({ code: 1, out: "", err: expect.stringMatching(/try again in \d+ s/) });
  });
});

describe("a bulk retry", () => {
  const { shop, ask, create, failing, retriedOf, begin, shown } = useShop();

  test("is shown, paused, resumed and watched until it finishes", async () => {
    const ids = await failing("held", 12);
    const gate = shop().engine.hold();
    const id = await begin("--queue", "held");

    const paused = await ask(["pause", id]);
    expect(paused).toMatchObject({ code: 0, out: expect.stringMatching(new RegExp(`^${id} {2}paused {2}12 tasks: `)) });
    expect(paused.err).toBe(`svc: paused. Continue with svc bulk-retry resume ${id}\n`);
    expect(await ask(["pause", id])).toMatchObject({ code: 0 });
    gate.open();
    // Commands already sent finish, and then watching stops.
    const watched = await ask(["watch", id]);
    expect(watched).toMatchObject({ code: 1, err: expect.stringContaining("svc: paused.") });
    expect(retriedOf("held").length).toBeLessThanOrEqual(8);
    expect((await shown(id)).status).toBe("paused");

    expect(await ask(["resume", id])).toMatchObject({ code: 0 });
    const done = await ask(["watch", id, "--json"]);
    expect(done.code).toBe(0);
    expect(JSON.parse(done.out)).toMatchObject({ id, status: "succeeded", counts: { total: 12, succeeded: 12 } });
    expect(retriedOf("held").sort()).toEqual(ids.sort());

    for (const what of ["pause", "resume"]) {
      const { code, err } = await ask([what, id]);
      expect(code).toBe(6);
      expect(err).toMatch(/^ {5}reason: finished$/m);
    }
    expect(await ask(["show", id])).toMatchObject({ code: 0, out: expect.stringContaining("succeeded  12 tasks") });
  });

  test("is refused to a viewer and to a key", async () => {
    const id = await begin("--queue", "nothing");
    expect(await shop().signedIn(["bulk-retry", "list"], "viewer")).toMatchObject({ code: 6, out: "" });
    expect(await shop().withKey(["bulk-retry", "list"])).toMatchObject({ code: 6, out: "" });
    for (const what of ["show", "watch", "pause", "resume"]) {
      expect(await shop().signedIn(["bulk-retry", what, id], "viewer")).toMatchObject({ code: 6 });
      expect(await shop().withKey(["bulk-retry", what, id])).toMatchObject({ code: 6, out: "" });
    }
  });

  test("continues when watching stops with Ctrl-C", async () => {
    const ids = await failing("left", 3);
    const gate = shop().engine.hold();
    const env = await shop().environment("session", "operator");
    const words = ["bulk-retry", "create", "--queue", "left", "--yes"];
    const watching = startSvc(words, { cwd: await scratchFolder(), env });
    const [, id = ""] = await watching.prints(/svc: bulk retry (\S{36}) of 3 tasks/);
    watching.child.kill("SIGINT");
    await watching.ended;
    gate.open();
    expect(await ask(["watch", id])).toMatchObject({ code: 0 });
    expect(retriedOf("left").sort()).toEqual(ids);
  });

  test("sends the canary first, and the rest after its tasks succeeded", async () => {
    await failing("good", 6);
    expect(await create("--queue", "good", "--canary", "2")).toMatchObject({ code: 0 });
    expect(retriedOf("good").slice(0, 2).sort()).toEqual(["good-0", "good-1"]);
    expect(retriedOf("good")).toHaveLength(6);
  });

  test("is blocked when too many tasks of its canary fail again, until it is resumed", async () => {
    await failing("bad", 6);
    shop().engine.endOf.set("bad-0", "failure").set("bad-1", "failure");
    const { code, out, err } = await create("--queue", "bad", "--canary", "2", "--canary-failures", "1");
    expect(code).toBe(1);
    const [, id = ""] = /^(\S{36}) {2}blocked {2}6 tasks: 2 succeeded/.exec(out) ?? [];
    expect(err).toContain(
      `svc: blocked: 2 of the 2 canary tasks failed again (allowed: 1). Continue with svc bulk-retry resume ${id}\n`,
    );
    expect(retriedOf("bad").sort()).toEqual(["bad-0", "bad-1"]);
    expect(await ask(["watch", id])).toMatchObject({ code: 1 });

    expect(await ask(["resume", id])).toMatchObject({ code: 0 });
    expect(await ask(["watch", id])).toMatchObject({ code: 0 });
    expect(retriedOf("bad")).toHaveLength(6);
  });

  test("applies allowed failures and the rate", async () => {
    await failing("paced", 4);
    shop().engine.endOf.set("paced-0", "failure");
    const words = ["--canary", "1", "--canary-failures", "1", "--rate", "6000"];
    expect(await create("--queue", "paced", ...words)).toMatchObject({ code: 0 });
    const { items } = (await shop().brain.as.admin.get("/projects/shop/audit")).body;
    const created = items.find(({ action }: { action: string }) => action === "bulk_retry_request.created");
    expect(created.metadata).toMatchObject({
      canary_size: 1,
      canary_max_failures: 1,
      rate_per_minute: 6000,
      tasks: 4,
    });
  });
});
