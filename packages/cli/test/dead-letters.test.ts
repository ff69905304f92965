import type { Command } from "@svc/agent";
import { createScriptedAdapter } from "@svc/testkit/peer";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { svc } from "./in-process.ts";
import { type ListedDeadLetter, type Shop, startShop } from "./shop.ts";
import { scratchFolder, startSvc } from "./svc-process.ts";

const deadLettersOf = (queue: string, count: number): ListedDeadLetter[] =>
  Array.from({ length: count }, (_, index) => ({
    task_id: `${queue}-${index}`,
    queue,
    error_excerpt: "Error: mailbox full\n    at send (mail.js:7)",
  }));

/** Listings are limited to ten per minute, so every group has its own service. */
function useShop(): () => Shop {
  let shop: Shop;
  beforeAll(async () => {
    shop = await startShop();
  });
  afterAll(() => shop?.brain.stop());
  return () => shop;
}

describe("svc dead-letters list", () => {
  const shop = useShop();
  const list = (...words: string[]) => shop().withKey(["dead-letters", "list", "shop", ...words]);

  test("prints the dead letters of the engine, and continues from a cursor", async () => {
    const { engine, agentId } = shop();
    engine.deadLetters.push(...deadLettersOf("mail", 3), ...deadLettersOf("images", 1));
    const { code, out, err } = await list("--limit", "2");
    expect(code).toBe(0);
    expect(out).toMatch(
      /^TASK ID +NAME +QUEUE +ATTEMPTS +FAILED +ERROR\nmail-0 +mail\.send +mail +3 +2026-05-20T08:00:00\S+ +Error: mailbox full\nmail-1 .+\n$/,
    );
    expect(err).toBe(
      `svc: 4 dead letters, from agent ${agentId}\nsvc: more results: add --cursor 2 --agent ${agentId}\n`,
    );

    const rest = JSON.parse((await list("--cursor", "2", "--agent", agentId, "--json")).out);
    expect(rest).toMatchObject({ next_cursor: null, total: 4, engine: "shop", agent_id: agentId });
    expect(rest.entries.map(({ task_id }: ListedDeadLetter) => task_id)).toEqual(["mail-2", "images-0"]);
    expect((await list("--queue", "images")).out).toMatch(/^TASK ID .+\nimages-0 .+\n$/);
    const none = `svc: 0 dead letters, from agent ${agentId}\n`;
    expect(await list("--queue", "nothing")).toEqual({ code: 0, out: "", err: none });
  });

  test("escapes control characters", async () => {
    const { engine } = shop();
    engine.deadLetters.push({ task_id: "evil\u001b[2J", queue: "evil", error_excerpt: "no" });
    const { out } = await list("--queue", "evil");
    expect(out).toContain("evil\\u001b[2J");
    expect(out).not.toContain("\u001b");
  });

  test("works for a viewer, with a key and with a session", async () => {
    const words = ["dead-letters", "list", "shop", "--queue", "images", "--json"];
    for (const ask of [shop().withKey, shop().signedIn])
      expect(await ask(words, "viewer")).toMatchObject({ code: 0, out: expect.stringContaining("images-0") });
  });
});

describe("svc dead-letters list is refused", () => {
  const shop = useShop();
  const list = (...words: string[]) => shop().withKey(["dead-letters", "list", ...words]);

  test.each([
    [[], 2, "missing ENGINE"],
    [["shop", "--limit", "0"], 2, "--limit must be a whole number from 1 to 200"],
    [["shop", "--limit", "201"], 2, "--limit must be a whole number from 1 to 200"],
    [["shop", "mail"], 2, "mail"],
    [["shop", "--project", "nowhere"], 5, "project nowhere not found"],
    [["no engine"], 6, "the request is not valid"],
    [["shop", "--cursor", "nonsense"], 6, "cursor is not valid for this listing"],
    [["shop", "--agent", "first"], 6, "agent_id"],
    [["shop", "--agent", "00000000-0000-7000-8000-000000000000"], 5, "agent not found"],
  ])("with %j by exit code %i", async (words, code, message) => {
    const ran = await list(...words);
    expect(ran).toMatchObject({ code, out: "", err: expect.stringContaining(message) });
  });

  test("when no agent supports it, with the capabilities of those online", async () => {
    const { code, err } = await list("celery");
    expect(code).toBe(6);
    expect(err).toMatch(/^svc: no online agent can list dead letters of celery$/m);
    expect(err).toMatch(/^ {5}online: agent-\S+ supports shop \(.*list_dead_letters.*\)$/m);
  });

  test("when the engine fails, and when it returns something else", async () => {
    const { engine } = shop();
    engine.listing = async () => ({ status: "failed", error: "Redis:\n planted \u001b[2Jwords" });
    const failed = await list("shop");
    expect(failed).toMatchObject({ code: 1, err: expect.stringContaining("the agent failed to list dead letters") });
    expect(failed.err).toMatch(/^ {5}error: Redis: {2}planted \\u001b\[2Jwords$/m);
    engine.listing = async () => ({ status: "success", result: { entries: "many" } });
    expect(await list("shop")).toMatchObject({
      code: 1,
      err: expect.stringContaining("is not a page of dead letters"),
    });
    engine.listing = null;
  });

  test("to a key without the scope, and without a session", async () => {
    const { brain, environment } = shop();
    const scopes = ["commands:write", "projects:read"];
    const { body } = await brain.as.operator.post("/api-keys", { name: "no", scopes });
    const words = ["dead-letters", "list", "shop"];
    expect(await svc(words, { ...(await environment("key", "operator")), SVC_API_KEY: body.token })).toMatchObject({
      code: 6,
      err: expect.stringContaining("required: tasks:read"),
    });
    expect(await svc([...words, "--brain", brain.url])).toMatchObject({
      code: 6,
      err: "svc: not signed in. Run svc login or set SVC_API_KEY\n",
    });
  });

  test("over the limit of ten per minute, with the time to wait", async () => {
    let ran = await list("shop");
    for (let count = 1; ran.code === 0 && count < 20; count += 1) ran = await list("shop");
    expect(ran.code).toBe(1);
    expect(ran.err).toMatch(/try again in \d+ s/);
    // requeue --all waits for the next minute, until it is interrupted.
    const words = ["dead-letters", "requeue", "shop", "--all", "--yes"];
    const env = await shop().environment("key", "operator");
    const requeueing = startSvc(words, { cwd: await scratchFolder(), env });
    await requeueing.prints(/svc: rate limit reached, continuing in \d+ s/);
    requeueing.child.kill("SIGINT");
    expect(await requeueing.ended).toBe("SIGINT");
    expect(shop().engine.done).toEqual([]);
  });
});

describe("svc dead-letters requeue", () => {
  const shop = useShop();
  const requeue = (...words: string[]) => shop().withKey(["dead-letters", "requeue", "shop", ...words]);

  test("requeues one and waits for it", async () => {
    const { engine } = shop();
    engine.deadLetters.push(...deadLettersOf("mail", 2));
    const { code, out, err } = await requeue("mail-0");
    expect({ code, out }).toEqual({ code: 0, out: "mail-0  completed\n" });
    expect(err).toMatch(/^svc: issued command \S{36}\./);
    expect(engine.deadLetters.map(({ task_id }) => task_id)).toEqual(["mail-1"]);
    expect(await requeue("mail-0")).toMatchObject({ code: 1, out: "mail-0  failed: dead letter not found\n" });
  });

  test("requeues all of a queue over several pages, with progress bars on a terminal only", async () => {
    const { engine, withKey } = shop();
    const others = engine.deadLetters.length;
    engine.deadLetters.push(...deadLettersOf("bulk", 203));
    const shown: string[] = [];
    const words = ["dead-letters", "requeue", "shop", "--all", "--queue", "bulk", "--yes", "--json"];
    const { code, out, err } = await withKey(words, "operator", { shown });
    expect({ code, err }).toEqual({ code: 0, err: "" });
    const { commands, refused } = JSON.parse(out);
    expect([commands.length, refused.length, engine.deadLetters.length]).toEqual([203, 0, others]);
    expect(engine.done.filter((what) => what.startsWith("requeue_dead_letter bulk-"))).toHaveLength(203);
    expect(shown).toContain(`reading [${"#".repeat(23)}-]  98% 200 of 203`);
    expect(shown.at(-2)).toMatch(/^requeueing \[#{24}\] 100% 203 of 203/);
    expect(shown.at(-1)).toBe("");

    engine.deadLetters.push(...deadLettersOf("few", 3));
    const plain = await requeue("--all", "--queue", "few", "--yes");
    expect(plain).toMatchObject({ code: 0, err: "" });
    expect(plain.out.trimEnd().split("\n").sort()).toEqual([0, 1, 2].map((index) => `few-${index}  completed`));
  });

  test("asks for confirmation of --all and accepts no", async () => {
    const { engine, withKey } = shop();
    engine.deadLetters.push(...deadLettersOf("asked", 2));
    const words = ["dead-letters", "requeue", "shop", "--all", "--queue", "asked"];
    const refused = {
      code: 6,
      out: "",
      err: "svc: nothing was requeued. Use --yes to requeue 2 dead letters without confirmation\n",
    };
    expect(await withKey(words)).toEqual(refused);
    expect(await withKey(words, "operator", { typed: "n\n" })).toEqual(refused);
    expect(engine.done.join()).not.toContain("asked");
    expect(await withKey(words, "operator", { typed: "y\n" })).toMatchObject({ code: 0 });
    expect(engine.done.filter((what) => what.includes("asked"))).toHaveLength(2);
  });

  test("requeues up to --limit and reports the rest, with or without a count of the engine", async () => {
    const { engine, withKey } = shop();
    engine.deadLetters.push(...deadLettersOf("long", 205));
    const shown: string[] = [];
    const words = ["dead-letters", "requeue", "shop", "--all", "--queue", "long", "--limit", "3"];
    const left = (count: string) => `svc: ${count} dead letters are left. Run the command again to continue\n`;
    expect(await withKey(words)).toMatchObject({
      code: 6,
      err: expect.stringContaining("requeue the newest 3 dead letters (205 in total)"),
    });
    const some = await withKey([...words, "--yes", "--json"], "operator", { shown });
    expect({ code: some.code, err: some.err }).toEqual({ code: 0, err: left("202") });
    expect(JSON.parse(some.out).commands).toHaveLength(3);

    const listed = deadLettersOf("long", 205).map((entry) => ({
      ...entry,
      attempts: 3,
      task_name: null,
      failed_at: null,
    }));
    const page = { entries: listed.slice(100, 103), next_cursor: "3", total: null, engine: "shop" };
    engine.listing = async () => ({ status: "success", result: page });
    expect(await withKey(words)).toMatchObject({
      code: 6,
      err: expect.stringContaining("requeue the newest 3 dead letters without"),
    });
    expect(await withKey([...words, "--yes"])).toMatchObject({ code: 0, err: left("more") });
    engine.listing = null;
    expect(await withKey(["dead-letters", "requeue", "shop", "a", "--limit", "3"])).toMatchObject({ code: 2 });
  });

  test("exits with 1 when one fails, and requeues the others", async () => {
    const { engine } = shop();
    engine.deadLetters.push(...deadLettersOf("mixed", 3));
    engine.refuses.set("mixed-1", "the job is locked");
    const { code, out } = await requeue("mixed-0", "mixed-1", "mixed-2");
    expect(code).toBe(1);
    expect(out.trimEnd().split("\n").sort()).toEqual([
      "mixed-0  completed",
      "mixed-1  failed: the job is locked",
      "mixed-2  completed",
    ]);
  });

  test("with the same key requeues once", async () => {
    const { engine } = shop();
    engine.deadLetters.push(...deadLettersOf("keyed", 1));
    const again = () => requeue("keyed-0", "--key", "deploy-9", "--json");
    const [first, second] = [JSON.parse((await again()).out), JSON.parse((await again()).out)];
    expect(second.commands[0].id).toBe(first.commands[0].id);
    expect(engine.done.filter((what) => what.endsWith("keyed-0"))).toHaveLength(1);
  });

  test("is refused to a viewer, and for a missing agent", async () => {
    const words = ["dead-letters", "requeue", "shop", "mail-1"];
    for (const ask of [shop().withKey, shop().signedIn])
      expect(await ask(words, "viewer")).toMatchObject({ code: 6, err: expect.stringContaining("required: operator") });
    const agentId = "00000000-0000-7000-8000-000000000000";
    expect(await requeue("mail-1", "--agent", agentId)).toMatchObject({ code: 5 });
    expect(await shop().withKey(["dead-letters", "requeue", "celery", "1"])).toMatchObject({
      code: 6,
      err: expect.stringContaining("svc: the agent does not serve the engine"),
    });
  });
});

describe("svc dead-letters requeue --all", () => {
  const shop = useShop();

  const requeue = (...words: string[]) => shop().withKey(["dead-letters", "requeue", "shop", ...words]);

  test("does nothing without dead letters", async () => {
    expect(await requeue("--all", "--queue", "empty", "--yes")).toEqual({
      code: 0,
      out: "",
      err: "svc: no dead letters to requeue\n",
    });
    const asJson = await requeue("--all", "--queue", "empty", "--json");
    expect(JSON.parse(asJson.out)).toEqual({ commands: [], refused: [] });
  });

  test("reads every page from the agent of the first page, even if another was seen later", async () => {
    const { brain, engine, agentId } = shop();
    const adapter = createScriptedAdapter("shop", ["list_dead_letters", "requeue_dead_letter"]);
    const { minted } = await brain.connectAgent({ engines: [adapter] });
    const asked: string[] = [];
    const entries = deadLettersOf("paged", 1).map((entry) => ({ task_name: null, ...entry }));
    const page = { entries, next_cursor: "next", total: 2, engine: "shop" };
    const listing = (own: string, other: string) => async (command: Command) => {
      const { cursor } = command.parameters;
      asked.push(`${own} ${cursor}`);
      if (cursor !== null) return { status: "failed" as const, error: "no second page" };
      await brain.running.brain.database.write((tx) =>
        tx
          .updateTable("agents")
          .set({ last_seen_at: new Date("2090-01-01T00:00:00Z") })
          .where("id", "=", other)
          .execute(),
      );
      return { status: "success" as const, result: page };
    };
    engine.listing = listing(agentId, minted.agentId);
    adapter.answerCommands(listing(minted.agentId, agentId));
    const failed = { code: 1, err: expect.stringContaining("no second page") };
    expect(await requeue("--all", "--yes")).toMatchObject(failed);
    const first = asked[0]?.split(" ")[0];
    expect(asked.splice(0)).toEqual([`${first} null`, `${first} next`]);
    for (const id of [agentId, minted.agentId]) {
      expect(await requeue("--all", "--yes", "--agent", id)).toMatchObject(failed);
      expect(asked.splice(0)).toEqual([`${id} null`, `${id} next`]);
    }
  });

  test("uses the agent that listed them, even if another was seen later, or the one of --agent", async () => {
    const { brain, engine, agentId } = shop();
    const adapter = createScriptedAdapter("shop", ["list_dead_letters", "requeue_dead_letter"]);
    const { minted } = await brain.connectAgent({ engines: [adapter] });
    const seenLast = (agent: string) =>
      brain.running.brain.database.write(async (tx) => {
        const seen = (at: string) => tx.updateTable("agents").set({ last_seen_at: new Date(at) });
        await seen("2080-01-01T00:00:00Z").where("id", "<>", agent).execute();
        await seen("2090-01-01T00:00:00Z").where("id", "=", agent).execute();
      });
    const deadLetters = deadLettersOf("listed", 2);
    const entries = deadLetters.map((entry) => ({ task_name: null, ...entry }));
    const listing = (other: string) => async () => {
      await seenLast(other);
      return { status: "success" as const, result: { entries, next_cursor: null, total: 2, engine: "shop" } };
    };
    engine.listing = listing(minted.agentId);
    engine.deadLetters.push(...deadLetters);
    const listElsewhere = listing(agentId);
    const elsewhere: string[] = [];
    adapter.answerCommands(async ({ action, parameters }) => {
      if (action === "dlq.list") return listElsewhere();
      elsewhere.push(`${action} ${parameters.task_id}`);
      return { status: "success", result: {} };
    });
    const both = ["requeue_dead_letter listed-0", "requeue_dead_letter listed-1"];

    await seenLast(agentId);
    expect(await requeue("--all", "--yes")).toMatchObject({ code: 0 });
    expect([engine.done.splice(0).sort(), elsewhere.splice(0)]).toEqual([both, []]);
    expect(await requeue("--all", "--yes", "--agent", minted.agentId)).toMatchObject({ code: 0 });
    expect([engine.done, elsewhere.sort()]).toEqual([[], both]);
  });
});
