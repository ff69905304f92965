import type { Command } from "@svc/agent";
import { createScriptedAdapter } from "@svc/testkit/peer";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { svc } from "./in-process.ts";
import { type Letter, type Shop, startShop } from "./shop.ts";
import { scratchFolder, startSvc } from "./svc-process.ts";

const lettersOf = (queue: string, count: number): Letter[] =>
  Array.from({ length: count }, (_, index) => ({
    task_id: `${queue}-${index}`,
    queue,
    error_excerpt: "Error: mailbox full\n    at send (mail.js:7)",
  }));

/** Each listing counts into the budget of ten a minute, so every group has a service of its own. */
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

  test("prints what the engine keeps, and goes on from a cursor", async () => {
    const { engine, agentId } = shop();
    engine.letters.push(...lettersOf("mail", 3), ...lettersOf("images", 1));
    const { code, out, err } = await list("--limit", "2");
    expect(code).toBe(0);
    expect(out).toMatch(
      /^TASK ID +NAME +QUEUE +ATTEMPTS +FAILED +ERROR\nmail-0 +mail\.send +mail +3 +2026-05-20T08:00:00\S+ +Error: mailbox full\nmail-1 .+\n$/,
    );
    expect(err).toBe(
      `svc: 4 dead letters, told by agent ${agentId}\nsvc: there are more: --cursor 2 --agent ${agentId}\n`,
    );

    const rest = JSON.parse((await list("--cursor", "2", "--agent", agentId, "--json")).out);
    expect(rest).toMatchObject({ next_cursor: null, total: 4, engine: "shop", agent_id: agentId });
    expect(rest.entries.map(({ task_id }: Letter) => task_id)).toEqual(["mail-2", "images-0"]);
    expect((await list("--queue", "images")).out).toMatch(/^TASK ID .+\nimages-0 .+\n$/);
    const none = `svc: 0 dead letters, told by agent ${agentId}\n`;
    expect(await list("--queue", "nothing")).toEqual({ code: 0, out: "", err: none });
  });

  test("shows a terminal nothing that it would obey", async () => {
    const { engine } = shop();
    engine.letters.push({ task_id: "evil\u001b[2J", queue: "evil", error_excerpt: "no" });
    const { out } = await list("--queue", "evil");
    expect(out).toContain("evil\\u001b[2J");
    expect(out).not.toContain("\u001b");
  });

  test("is there for a viewer, with a key and with a session", async () => {
    const words = ["dead-letters", "list", "shop", "--queue", "images", "--json"];
    for (const ask of [shop().withKey, shop().signedIn])
      expect(await ask(words, "viewer")).toMatchObject({ code: 0, out: expect.stringContaining("images-0") });
  });
});

describe("svc dead-letters list is refused", () => {
  const shop = useShop();
  const list = (...words: string[]) => shop().withKey(["dead-letters", "list", ...words]);

  test.each([
    [[], 2, "name the engine"],
    [["shop", "--limit", "0"], 2, "--limit is a whole number, 1 to 200"],
    [["shop", "--limit", "201"], 2, "--limit is a whole number, 1 to 200"],
    [["shop", "mail"], 2, "mail"],
    [["shop", "--project", "nowhere"], 5, "there is no project nowhere"],
    [["no engine"], 6, "the request is not valid"],
    [["shop", "--cursor", "nonsense"], 6, "cursor is not valid for this listing"],
    [["shop", "--agent", "first"], 6, "agent_id"],
    [["shop", "--agent", "00000000-0000-7000-8000-000000000000"], 5, "there is no such agent"],
  ])("with %j by exit code %i", async (words, code, message) => {
    const ran = await list(...words);
    expect(ran).toMatchObject({ code, out: "", err: expect.stringContaining(message) });
  });

  test("where no agent can, with what those online can do", async () => {
    const { code, err } = await list("celery");
    expect(code).toBe(6);
    expect(err).toMatch(/^svc: no online agent can list dead letters of celery$/m);
    expect(err).toMatch(/^ {5}online: agent-\S+ can do shop \(.*list_dead_letters.*\)$/m);
  });

  test("when the engine fails, and when it answers with something else", async () => {
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

  test("to a key without the scope, and where nobody is signed in", async () => {
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
      err: "svc: nobody is signed in: svc login, or set SVC_API_KEY\n",
    });
  });

  test("over the budget of ten a minute, with the time to wait", async () => {
    let ran = await list("shop");
    for (let count = 1; ran.code === 0 && count < 20; count += 1) ran = await list("shop");
    expect(ran.code).toBe(1);
    expect(ran.err).toMatch(/try again in \d+ s/);
    // Who wants all of them waits for the next minute, until he is told not to.
    const words = ["dead-letters", "requeue", "shop", "--all", "--yes"];
    const env = await shop().environment("key", "operator");
    const requeueing = startSvc(words, { cwd: await scratchFolder(), env });
    await requeueing.says(/svc: over the budget for listings; going on in \d+ s/);
    requeueing.child.kill("SIGINT");
    expect(await requeueing.ended).toBe("SIGINT");
    expect(shop().engine.done).toEqual([]);
  });
});

describe("svc dead-letters requeue", () => {
  const shop = useShop();
  const requeue = (...words: string[]) => shop().withKey(["dead-letters", "requeue", "shop", ...words]);

  test("puts one back and waits for it", async () => {
    const { engine } = shop();
    engine.letters.push(...lettersOf("mail", 2));
    const { code, out, err } = await requeue("mail-0");
    expect({ code, out }).toEqual({ code: 0, out: "mail-0  completed\n" });
    expect(err).toMatch(/^svc: command \S{36} is under way/);
    expect(engine.letters.map(({ task_id }) => task_id)).toEqual(["mail-1"]);
    expect(await requeue("mail-0")).toMatchObject({ code: 1, out: "mail-0  failed: there is no such dead letter\n" });
  });

  test("puts all of a queue back, over several pages, with bars on a terminal and without elsewhere", async () => {
    const { engine, withKey } = shop();
    const others = engine.letters.length;
    engine.letters.push(...lettersOf("bulk", 203));
    const shown: string[] = [];
    const words = ["dead-letters", "requeue", "shop", "--all", "--queue", "bulk", "--yes", "--json"];
    const { code, out, err } = await withKey(words, "operator", { shown });
    expect({ code, err }).toEqual({ code: 0, err: "" });
    const { commands, refused } = JSON.parse(out);
    expect([commands.length, refused.length, engine.letters.length]).toEqual([203, 0, others]);
    expect(engine.done.filter((what) => what.startsWith("requeue_dead_letter bulk-"))).toHaveLength(203);
    expect(shown).toContain(`reading [${"#".repeat(23)}-]  98% 200 of 203`);
    expect(shown.at(-2)).toMatch(/^requeueing \[#{24}\] 100% 203 of 203/);
    expect(shown.at(-1)).toBe("");

    engine.letters.push(...lettersOf("few", 3));
    const plain = await requeue("--all", "--queue", "few", "--yes");
    expect(plain).toMatchObject({ code: 0, err: "" });
    expect(plain.out.trimEnd().split("\n").sort()).toEqual([0, 1, 2].map((index) => `few-${index}  completed`));
  });

  test("asks before it takes all, and takes no for an answer", async () => {
    const { engine, withKey } = shop();
    engine.letters.push(...lettersOf("asked", 2));
    const words = ["dead-letters", "requeue", "shop", "--all", "--queue", "asked"];
    const refused = {
      code: 6,
      out: "",
      err: "svc: nothing was requeued of 2 dead letters; --yes goes without asking\n",
    };
    expect(await withKey(words)).toEqual(refused);
    expect(await withKey(words, "operator", { typed: "n\n" })).toEqual(refused);
    expect(engine.done.join()).not.toContain("asked");
    expect(await withKey(words, "operator", { typed: "y\n" })).toMatchObject({ code: 0 });
    expect(engine.done.filter((what) => what.includes("asked"))).toHaveLength(2);
  });

  test("takes no more than it says, and says that more are left, whether the engine tells how many or not", async () => {
    const { engine, withKey } = shop();
    engine.letters.push(...lettersOf("long", 205));
    const shown: string[] = [];
    const words = ["dead-letters", "requeue", "shop", "--all", "--queue", "long", "--limit", "3"];
    const left = (count: string) => `svc: ${count} more dead letters are left: the same again goes on with them\n`;
    expect(await withKey(words)).toMatchObject({
      code: 6,
      err: expect.stringContaining("of the newest 3 of 205 dead"),
    });
    const some = await withKey([...words, "--yes", "--json"], "operator", { shown });
    expect({ code: some.code, err: some.err }).toEqual({ code: 0, err: left("202") });
    expect(JSON.parse(some.out).commands).toHaveLength(3);

    const listed = lettersOf("long", 205).map((letter) => ({
      ...letter,
      attempts: 3,
      task_name: null,
      failed_at: null,
    }));
    const page = { entries: listed.slice(100, 103), next_cursor: "3", total: null, engine: "shop" };
    engine.listing = async () => ({ status: "success", result: page });
    expect(await withKey(words)).toMatchObject({
      code: 6,
      err: expect.stringContaining("of the newest 3 dead letters"),
    });
    expect(await withKey([...words, "--yes"])).toMatchObject({ code: 0, err: left("some") });
    engine.listing = null;
    expect(await withKey(["dead-letters", "requeue", "shop", "a", "--limit", "3"])).toMatchObject({ code: 2 });
  });

  test("ends with 1 beside one that fails, and puts the others back", async () => {
    const { engine } = shop();
    engine.letters.push(...lettersOf("mixed", 3));
    engine.refuses.set("mixed-1", "the job is locked");
    const { code, out } = await requeue("mixed-0", "mixed-1", "mixed-2");
    expect(code).toBe(1);
    expect(out.trimEnd().split("\n").sort()).toEqual([
      "mixed-0  completed",
      "mixed-1  failed: the job is locked",
      "mixed-2  completed",
    ]);
  });

  test("with the same key puts back once", async () => {
    const { engine } = shop();
    engine.letters.push(...lettersOf("keyed", 1));
    const again = () => requeue("keyed-0", "--key", "deploy-9", "--json");
    const [first, second] = [JSON.parse((await again()).out), JSON.parse((await again()).out)];
    expect(second.commands[0].id).toBe(first.commands[0].id);
    expect(engine.done.filter((what) => what.endsWith("keyed-0"))).toHaveLength(1);
  });

  test("is nothing for a viewer, nor by an agent that is not there", async () => {
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

  test("has nothing to do where there are none", async () => {
    expect(await requeue("--all", "--queue", "empty", "--yes")).toEqual({
      code: 0,
      out: "",
      err: "svc: there are no dead letters to requeue\n",
    });
    const asJson = await requeue("--all", "--queue", "empty", "--json");
    expect(JSON.parse(asJson.out)).toEqual({ commands: [], refused: [] });
  });

  test("reads every page from the agent of the first one, whoever was seen last", async () => {
    const { brain, engine, agentId } = shop();
    const adapter = createScriptedAdapter("shop", ["list_dead_letters", "requeue_dead_letter"]);
    const { minted } = await brain.connectAgent({ engines: [adapter] });
    const asked: string[] = [];
    const letters = lettersOf("paged", 1).map((letter) => ({ task_name: null, ...letter }));
    const page = { entries: letters, next_cursor: "next", total: 2, engine: "shop" };
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

  test("asks the agent that listed them, whoever was seen last, and with --agent that one", async () => {
    const { brain, engine, agentId } = shop();
    const adapter = createScriptedAdapter("shop", ["list_dead_letters", "requeue_dead_letter"]);
    const { minted } = await brain.connectAgent({ engines: [adapter] });
    const seenLast = (agent: string) =>
      brain.running.brain.database.write(async (tx) => {
        const seen = (at: string) => tx.updateTable("agents").set({ last_seen_at: new Date(at) });
        await seen("2080-01-01T00:00:00Z").where("id", "<>", agent).execute();
        await seen("2090-01-01T00:00:00Z").where("id", "=", agent).execute();
      });
    const letters = lettersOf("listed", 2);
    const entries = letters.map((letter) => ({ task_name: null, ...letter }));
    const listing = (other: string) => async () => {
      await seenLast(other);
      return { status: "success" as const, result: { entries, next_cursor: null, total: 2, engine: "shop" } };
    };
    engine.listing = listing(minted.agentId);
    engine.letters.push(...letters);
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
