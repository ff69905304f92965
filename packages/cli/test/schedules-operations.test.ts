import { createScriptedAdapter } from "@svc/testkit/peer";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Shop, startShop } from "./shop.ts";

let shop: Shop;
beforeAll(async () => {
  shop = await startShop();
});
afterAll(() => shop?.brain.stop());

const project = ["--project", "shop"];
const schedules = (...words: string[]) => shop.withKey(["schedules", ...words, ...project], "admin");
const asOperator = (...words: string[]) => shop.withKey(["schedules", ...words, ...project], "operator");
const json = async (...words: string[]) => JSON.parse((await schedules(...words, "--json")).out);
const create = (name: string, ...words: string[]) =>
  json("create", name, "--engine", "shop", "--task", "mail.send", "--every", "24h", ...words);
const write = (work: Parameters<Shop["brain"]["running"]["brain"]["database"]["write"]>[0]) =>
  shop.brain.running.brain.database.write(work);

/** Options that a question or --yes must follow. */
const refusal = (message: string) => ({ code: 6, out: "", err: expect.stringContaining(message) });

describe("svc schedules update", () => {
  test("changes only what the options name, and prints the result", async () => {
    await create("edited", "--queue", "mail", "--kwargs", '{"list":7}', "--late-start", "10m", "--long-run", "1h");
    const { code, out, err } = await schedules(
      ...["update", "edited", "--cron", "30 2 * * *", "--timezone", "Europe/Berlin", "--no-queue", "--no-long-run"],
    );
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toMatch(/^name +edited\nstate +enabled\nwhen +Every day at 02:30 \(Europe\/Berlin\)\ncron +30 2 /);
    expect(out).toMatch(/^NEXT RUN, EUROPE\/BERLIN/m);
    expect(await json("show", "edited")).toMatchObject({
      ...{ kind: "cron", queue: null, late_start_seconds: 600, long_run_seconds: null },
      ...{ kwargs: { list: 7 }, task_name: "mail.send", engine: "shop" },
    });
    const renamed = await json(
      ...[
        "update",
        "edited",
        "--name",
        "renamed",
        "--every",
        "5m",
        "--no-late-start",
        "--args",
        "[12345678901234567890]",
      ],
      ...["--priority", "high", "--catch-up", "skip", "--overlap", "skip", "--task", "mail.other", "--queue", "bills"],
    );
    expect(renamed).toMatchObject({
      ...{ name: "renamed", kind: "interval", expression: "300", late_start_seconds: null, queue: "bills" },
      ...{ priority: "high", catch_up: "skip", overlap_policy: "skip", task_name: "mail.other" },
    });
    expect((await schedules("show", "renamed", "--json")).out).toContain("[12345678901234567890]");
  });

  test.each([
    [[], 2, "nothing to change: give at least one option"],
    [["--cron", "* * * * *", "--every", "5m"], 2, "give exactly one of --cron, --every, --at and --solar"],
    [["--queue", "mail", "--no-queue"], 2, "--queue and --no-queue exclude each other"],
    [["--every", "soon"], 2, "--every must"],
    [["--cron", "61 * * * *"], 6, "minute: 61 is not between 0 and 59"],
    [["--timezone", "Mars", "--cron", "0 0 * * *"], 6, "Mars"],
    [["--name", "taken"], 6, "name_in_use"],
  ])("is refused with %j by exit code %i", async (words, code, message) => {
    for (const name of ["kept", "taken"]) if ((await schedules("show", name)).code === 5) await create(name);
    const before = await json("show", "kept");
    expect(await schedules("update", "kept", ...words)).toMatchObject({
      ...{ code, out: "", err: expect.stringContaining(message) },
    });
    expect((await json("show", "kept")).control_token).toBe(before.control_token);
  });

  test("is refused for a schedule of an engine, without the role, and for an unknown name", async () => {
    await shop.engine.schedule("of-the-engine");
    expect(await schedules("update", "of-the-engine", "--task", "other")).toEqual(
      refusal("the scheduler of the engine defines this schedule; change it there"),
    );
    await create("guarded");
    expect((await asOperator("update", "guarded", "--task", "other")).code).toBe(6);
    expect((await schedules("update", "nothing", "--task", "other")).code).toBe(5);
    expect(await schedules("update")).toMatchObject({ code: 2, err: expect.stringContaining("missing NAME_OR_ID") });
  });
});

describe("svc schedules clear-quarantine", () => {
  async function quarantined(name: string): Promise<{ control_token: string }> {
    const { id } = await create(name);
    const facts = { quarantine_code: "bad_cadence", quarantine_detail: null, quarantined_at: new Date() };
    await write((tx) => tx.updateTable("schedules").set(facts).where("id", "=", id).execute());
    return json("show", name);
  }

  test("releases schedules", async () => {
    for (const name of ["stuck-a", "stuck-b"]) await quarantined(name);
    expect((await schedules("show", "stuck-a")).out).toMatch(/^state +quarantined$/m);
    expect(await schedules("clear-quarantine", "stuck-a", "stuck-b")).toEqual({
      ...{ code: 0, out: "stuck-a  enabled\nstuck-b  enabled\n", err: "" },
    });
    expect(await json("show", "stuck-a")).toMatchObject({ quarantined_at: null, next_run_at: expect.any(String) });
  });

  test("is refused after a change of the schedule", async () => {
    const { control_token: seen } = await quarantined("stale");
    await schedules("update", "stale", "--task", "other");
    const { control_token: live } = await json("show", "stale");
    expect(await schedules("clear-quarantine", "stale", "--control-token", seen)).toEqual({
      ...{ code: 6, out: "" },
      err:
        "svc: the schedule has changed; check it again\n" +
        `     reason: stale_control_token\n     live_control_token: ${live}\n` +
        "     check it with svc schedules show\n",
    });
    const released = await json("clear-quarantine", "stale", "--control-token", live);
    expect(released.schedules).toMatchObject([{ name: "stale", quarantined_at: null }]);
  });

  test("is refused for a schedule of an engine, without the role, and with one token for several", async () => {
    await shop.engine.schedule("native");
    expect(await schedules("clear-quarantine", "native")).toMatchObject({ code: 6, out: "" });
    await quarantined("held");
    expect((await asOperator("clear-quarantine", "held")).code).toBe(6);
    expect(await schedules("clear-quarantine", "held", "native", "--control-token", "x")).toMatchObject({
      ...{ code: 2, err: expect.stringContaining("--control-token applies to one schedule only") },
    });
    expect((await schedules("clear-quarantine")).code).toBe(2);
    expect((await schedules("clear-quarantine", "nothing")).code).toBe(5);
  });
});

describe("svc schedules resolve-fire", () => {
  /** A schedule with one fire in this status. */
  async function fired(name: string, status: "terminal_timeout" | "acked_success" = "terminal_timeout") {
    await create(name);
    const { schedule, fire_id: fireId } = await json("run", name);
    await write((tx) =>
      tx.updateTable("schedule_fires").set({ status }).where("schedule_id", "=", schedule.id).execute(),
    );
    return { fireId, schedule };
  }
  const statusOf = async (name: string) => (await json("show", name)).fires[0].status;

  test("asks before it changes the record, and keeps the state of the schedule", async () => {
    const { fireId } = await fired("lost");
    expect((await schedules("show", "lost")).out).toContain(` ${fireId} `);
    await schedules("disable", "lost");
    const words = ["schedules", "resolve-fire", "lost", fireId, "--as", "completed", ...project];
    expect(await shop.withKey(words)).toEqual(
      refusal(
        "svc: nothing was resolved. Its task may have run, or may still run: check it, then use --yes to resolve ",
      ),
    );
    expect(await shop.withKey(words, "operator", { typed: "n\n" })).toEqual(refusal("nothing was resolved"));
    expect(await statusOf("lost")).toBe("terminal_timeout");
    expect(await shop.withKey(words, "operator", { typed: "y\n" })).toMatchObject({
      ...{ code: 0, out: `lost  disabled  fire ${fireId}  terminal_timeout -> terminal_completed\n` },
    });
    expect(await statusOf("lost")).toBe("terminal_completed");
    expect((await asOperator("resolve-fire", "lost", fireId, "--as", "completed", "--yes")).out).toBe(
      `lost  disabled  fire ${fireId}  already terminal_completed\n`,
    );
  });

  test.each([
    ["--disable", false],
    ["--enable", true],
  ])("%s also changes the schedule", async (option, is_enabled) => {
    const name = `lost${option}`;
    const { fireId } = await fired(name);
    if (is_enabled) await schedules("disable", name);
    const resolved = await json("resolve-fire", name, fireId.toUpperCase(), "--as", "skipped", option, "--yes");
    expect(resolved).toMatchObject({
      ...{ disposition: "resolved", schedule: { name, is_enabled }, fire: { status: "operator_skipped" } },
    });
  });

  test("is refused after a change of the schedule, and for a fire whose outcome is known", async () => {
    const { fireId, schedule } = await fired("changed");
    await schedules("update", "changed", "--task", "other");
    const token = ["--control-token", schedule.control_token];
    const resolve = (...words: string[]) =>
      schedules("resolve-fire", "changed", fireId, "--as", "failed", "--yes", ...words);
    const stale = await resolve(...token);
    expect(stale).toEqual(refusal("svc: the schedule has changed; load it again\n     disposition: stale_control\n"));
    expect(await statusOf("changed")).toBe("terminal_timeout");
    expect((await resolve()).code).toBe(0);
    const known = await fired("known", "acked_success");
    expect(await schedules("resolve-fire", "known", known.fireId, "--as", "failed", "--yes")).toEqual(
      refusal("svc: the fire has ended with a known outcome\n     disposition: not_resolvable\n"),
    );
  });

  test("is refused with wrong words, for unknown names and fires, and without the role", async () => {
    const { fireId } = await fired("words");
    for (const [words, code, message] of [
      [[], 2, "missing NAME_OR_ID or FIRE_ID"],
      [["words"], 2, "missing NAME_OR_ID or FIRE_ID"],
      [["words", fireId], 2, "missing --as OUTCOME"],
      [["words", fireId, "--as", "lost"], 2, "--as must be one of completed, failed, cancelled, timeout, skipped"],
      [["words", fireId, "--as", "failed", "--enable", "--disable"], 2, "--enable and --disable exclude each other"],
      [["nothing", fireId, "--as", "failed"], 5, "schedule nothing not found"],
      [["words", "0", "--as", "failed"], 5, "fire 0 not found among the newest 1,000 of schedule words"],
    ] as const)
      expect(await schedules("resolve-fire", ...words)).toMatchObject({ code, err: expect.stringContaining(message) });
    const words = ["schedules", "resolve-fire", "words", fireId, "--as", "failed", "--yes", ...project];
    expect((await shop.withKey(words, "viewer")).code).toBe(6);
  });
});

describe("svc schedules resync", () => {
  test("asks the agents of engines with schedulers, and fails when there are none", async () => {
    expect(await schedules("resync")).toEqual({
      ...{ code: 1, out: "", err: "svc: no online agent reports schedules of an engine\n" },
    });
    const asked: string[] = [];
    const adapter = createScriptedAdapter("clocks");
    adapter.answerCommands(async ({ action }) => {
      asked.push(action);
      return { status: "success", result: {} };
    });
    const scheduler = { name: "clocks", capabilities: () => ["schedule.resync"] as const };
    await shop.brain.connectAgent({ engines: [Object.assign(adapter, { scheduler })] });
    expect(await schedules("resync")).toEqual({ code: 0, out: "asked 1 agent for the schedules of clocks\n", err: "" });
    await expect.poll(() => asked, { timeout: 60_000 }).toEqual(["schedule.resync"]);
    expect(await json("resync")).toEqual({ agents_dispatched: 1, schedulers_observed: ["clocks"] });
    expect((await asOperator("resync")).code).toBe(6);
  });
});
