import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Shop, startShop } from "./shop.ts";

let shop: Shop;
beforeAll(async () => {
  shop = await startShop();
});
afterAll(() => shop?.brain.stop());

/** The administrator sees other projects, too. */
const project = ["--project", "shop"];
const schedules = (...words: string[]) => shop.withKey(["schedules", ...words, ...project], "admin");
const basics = ["--engine", "shop", "--task", "mail.send"];
const create = (name: string, ...words: string[]) =>
  shop.withKey(["schedules", "create", name, ...basics, ...project, ...words], "admin");
const json = async (...words: string[]) => JSON.parse((await schedules(...words, "--json")).out);

describe("svc schedules create", () => {
  test("prints the definition in words and the next runs in the zone of the schedule", async () => {
    const words = [
      "--cron",
      "30 2 * * *",
      "--timezone",
      "Pacific/Kiritimati",
      "--queue",
      "mail",
      "--kwargs",
      '{"list":7}',
    ];
    const limits = [
      "--late-start",
      "10m",
      "--long-run",
      "1h",
      "--catch-up",
      "skip",
      "--overlap",
      "skip",
      "--priority",
      "high",
    ];
    const { code, out, err } = await create("kiritimati", ...words, ...limits);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toMatch(
      /^name +kiritimati\nstate +enabled\nwhen +Every day at 02:30 \(Pacific\/Kiritimati\)\ncron +30 2 \* \* \*\n/,
    );
    expect(out).toMatch(/^kwargs +\{"list":7\}$/m);
    expect(out).toMatch(/^late start limit +600 s\nlong run limit +3600 s$/m);
    expect(out).toMatch(/^NEXT RUN, PACIFIC\/KIRITIMATI/m);
    expect(out.match(/^\w{3} \d{4}-\d\d-\d\d 02:30 \+14:00/gm)).toHaveLength(3);
    expect(await json("show", "kiritimati")).toMatchObject({
      queue: "mail",
      priority: "high",
      catch_up: "skip",
      overlap_policy: "skip",
      late_start_seconds: 600,
      long_run_seconds: 3600,
      source: "dashboard",
    });
  });

  test("creates the other kinds, and disabled schedules", async () => {
    expect(await json("create", "kind-every", ...basics, "--every", "90m")).toMatchObject({
      kind: "interval",
      expression: "5400",
    });
    expect(
      await json("create", "kind-at", ...basics, "--at", "2199-01-01T00:00", "--args", "[1,12345678901234567890]"),
    ).toMatchObject({
      kind: "clocked",
      next_runs: ["2199-01-01T00:00:00.000Z"],
    });
    const { out } = await create("kind-solar", "--solar", "sunrise:52.5:13.4", "--disabled");
    expect(out).toMatch(/^state +disabled$/m);
    expect(out).toMatch(/^solar +sunrise:52\.5:13\.4$/m);
  });

  test.each([
    [["--cron", "* * * * *", "--every", "5m"], 2, "give exactly one of --cron, --every, --at and --solar"],
    [[], 2, "give exactly one of --cron, --every, --at and --solar"],
    [["--every", "soon"], 2, "--every must"],
    [["--every", "5m", "--args", "{}"], 2, "--args must be a JSON array"],
    [["--every", "5m", "--priority", "urgent"], 2, "--priority must be one of critical, high, normal, low"],
    [["--every", "5m", "--catch-up", "all"], 2, "--catch-up must be one of skip, fire_one_missed, fire_all_missed"],
    [["--every", "5m", "--overlap", "all"], 2, "--overlap must be one of allow, skip"],
    [["--every", "5m", "--late-start", "2d"], 2, "--late-start must be at most 86400 s"],
    [["--cron", "61 * * * *"], 6, "minute: 61 is not between 0 and 59"],
    [["--cron", "0 0 * * *", "--timezone", "Mars"], 6, "Mars"],
    [["--every", "5m", "--project", "nowhere"], 5, "project nowhere not found"],
  ])("is refused with %j by exit code %i", async (words, code, message) => {
    expect(await create("refused", ...words)).toMatchObject({ code, out: "", err: expect.stringContaining(message) });
  });

  test("is refused without a name, an engine or the role, and for a name in use", async () => {
    expect(await schedules("create")).toMatchObject({ code: 2, err: expect.stringContaining("missing NAME") });
    expect(await schedules("create", "x", "--every", "5m")).toMatchObject({
      code: 2,
      err: expect.stringContaining("missing --engine or --task"),
    });
    await create("twice", "--every", "5m");
    expect(await create("twice", "--every", "5m")).toMatchObject({
      code: 6,
      err: expect.stringContaining("name_in_use"),
    });
    const asOperator = await shop.withKey(
      ["schedules", "create", "x", ...basics, "--every", "5m", ...project],
      "operator",
    );
    expect(asOperator.code).toBe(6);
  });
});

describe("svc schedules list and show", () => {
  test("list pages by name, with state and words", async () => {
    for (const name of ["list-a", "list-b"]) await create(name, "--every", "5m");
    await schedules("disable", "list-b");
    const { code, out } = await schedules("list", "--limit", "500");
    expect(code).toBe(0);
    expect(out).toMatch(/^NAME +STATE +WHEN +TASK +ENGINE +SCHEDULER +NEXT RUN +LAST RUN +RUNS +FAILURES\n/);
    expect(out).toMatch(/^list-a +enabled +Every 5 minutes +mail\.send +shop +svc-scheduler +\d{4}\S+Z +- +0/m);
    expect(out).toMatch(/^list-b +disabled +.* - +- +0/m);
    const first = await schedules("list", "--limit", "1");
    const cursor = /add --cursor (\S+)/.exec(first.err)?.[1] ?? "";
    expect((await schedules("list", "--limit", "1", "--cursor", cursor)).out).not.toBe(first.out);
    const { items, next_cursor } = await json("list", "--limit", "500");
    expect(items.map(({ name }: { name: string }) => name)).toEqual(expect.arrayContaining(["list-a", "list-b"]));
    expect(next_cursor).toBeNull();
  });

  test("list works for a viewer, and says when there are none", async () => {
    const asViewer = await shop.signedIn(["schedules", "list", "--json", ...project], "viewer");
    expect(asViewer.code).toBe(0);
    await shop.brain.addProject("empty", "Empty");
    expect(await shop.signedIn(["schedules", "list", "--project", "empty"], "admin")).toEqual({
      code: 0,
      out: "",
      err: "svc: no schedules found\n",
    });
  });

  test("show takes an id too, and explains unknown and ambiguous names", async () => {
    await create("twins", "--every", "5m");
    const { id } = await json("show", "twins");
    expect((await schedules("show", id)).out).toMatch(/^name +twins$/m);
    await shop.engine.schedule("twins");
    const ambiguous = await schedules("show", "twins");
    expect(ambiguous.code).toBe(2);
    expect(ambiguous.err).toContain(`several schedulers have a schedule "twins". Use its id: `);
    expect(ambiguous.err).toContain(`${id} (svc-scheduler)`);
    expect(await schedules("show", "nothing")).toMatchObject({
      code: 5,
      err: "svc: schedule nothing not found in project shop\n",
    });
    expect((await schedules("show", "00000000-0000-7000-8000-000000000000")).code).toBe(5);
    expect((await schedules("show")).code).toBe(2);
  });

  test("show names the state, and when a paused or disabled schedule would run", async () => {
    await create("held", "--every", "5m");
    await schedules("pause", "held");
    const { out } = await schedules("show", "held");
    expect(out).toMatch(/^state +paused$/m);
    expect(out).toMatch(/^paused since +\d{4}-/m);
    expect(out).toMatch(/^NEXT RUN IF RESUMED NOW, UTC/m);
    await schedules("disable", "held");
    expect((await schedules("show", "held")).out).toMatch(/^NEXT RUN IF ENABLED NOW, UTC/m);
    await create("over", "--at", "2199-01-01T00:00");
    expect(await json("show", "over")).toMatchObject({ next_runs: ["2199-01-01T00:00:00.000Z"] });
  });
});

describe("svc schedules enable, disable, pause, resume and delete", () => {
  test("change several schedules and print their states", async () => {
    for (const name of ["change-a", "change-b"]) await create(name, "--every", "5m");
    const both = ["change-a", "change-b", "change-a"];
    expect(await schedules("disable", ...both)).toEqual({
      code: 0,
      out: "change-a  disabled\nchange-b  disabled\n",
      err: "",
    });
    expect((await schedules("enable", ...both)).out).toBe("change-a  enabled\nchange-b  enabled\n");
    expect((await schedules("pause", ...both)).out).toBe("change-a  paused\nchange-b  paused\n");
    const asOperator = await shop.withKey(["schedules", "resume", "change-b", "--json", ...project], "operator");
    expect(JSON.parse(asOperator.out).schedules).toEqual([
      expect.objectContaining({ name: "change-b", paused_at: null }),
    ]);
    expect(await schedules("delete", "change-a")).toEqual({
      code: 6,
      out: "",
      err: "svc: nothing was deleted. Use --yes to delete schedule change-a without confirmation\n",
    });
    const asked = await shop.withKey(["schedules", "delete", "change-a", ...project], "admin", { typed: "y\n" });
    expect(asked).toMatchObject({ code: 0, out: "change-a  deleted\n" });
    expect((await schedules("delete", "change-b", "--yes", "--json")).out).toMatch(
      /^\{"schedules":\[\{"id":"\S+","name":"change-b"\}\]\}\n$/,
    );
    expect((await schedules("show", "change-a")).code).toBe(5);
  });

  test("refuse to pause or delete a schedule of an engine, and stop at the first refusal", async () => {
    await create("own", "--every", "5m");
    await shop.engine.schedule("native");
    const { code, out, err } = await schedules("pause", "own", "native");
    expect({ code, out }).toEqual({ code: 6, out: "own  paused\n" });
    expect(err).toContain("the scheduler of the engine defines this schedule; change it there");
    expect((await schedules("delete", "native", "--yes")).code).toBe(6);
  });

  test.each([["enable"], ["disable"], ["pause"], ["resume"], ["delete"]])(
    "%s needs a name that exists",
    async (command) => {
      expect(await schedules(command)).toMatchObject({ code: 2, err: expect.stringContaining("missing NAME_OR_ID") });
      expect((await schedules(command, "nothing")).code).toBe(5);
    },
  );

  test("a viewer may not control", async () => {
    await create("guarded", "--every", "5m");
    expect((await shop.withKey(["schedules", "pause", "guarded", ...project], "viewer")).code).toBe(6);
  });
});

describe("svc schedules export", () => {
  test("prints JSON without the schedules of engines, and by source", async () => {
    await create("exported", "--cron", "0 4 * * *", "--kwargs", '{"n":12345678901234567890}', "--long-run", "1h");
    await shop.engine.schedule("of-the-engine");
    const { code, out, err } = await schedules("export");
    expect(code).toBe(0);
    expect(err).toContain("svc: left out of-the-engine: it belongs to shop\n");
    expect(out).toContain('"n": 12345678901234567890');
    const found = JSON.parse(out).schedules.find(({ name }: { name: string }) => name === "exported");
    expect(found).toMatchObject({
      engine: "shop",
      kind: "cron",
      expression: "0 4 * * *",
      timezone: "UTC",
      task_name: "mail.send",
      priority: "normal",
      args: [],
      catch_up: "fire_one_missed",
      overlap_policy: "allow",
      long_run_seconds: 3600,
      is_enabled: true,
      source: "dashboard",
    });
    expect(found).not.toHaveProperty("queue");
    expect(JSON.parse((await schedules("export", "--source", "nothing")).out)).toEqual({ schedules: [] });
  });

  test("prints a crontab, and lists what a crontab can't express", async () => {
    await create(
      "crontab-line",
      "--cron",
      "5 4 * * 1",
      "--kwargs",
      '{"command":"date +%F"}',
      "--timezone",
      "Asia/Tokyo",
    );
    await create("crontab-not", "--every", "5m");
    const { out, err } = await schedules("export", "--format", "crontab");
    expect(out).toContain("CRON_TZ=Asia/Tokyo\n5 4 * * 1 date +\\%F\n");
    expect(err).toContain("svc: left out crontab-not: a crontab has no interval schedules\n");
    expect((await schedules("export", "--format", "xml")).code).toBe(2);
  });
});

describe("svc schedules run and misfires", () => {
  test("run starts the task once, waits for it, and show lists the fire", async () => {
    await create("run-now", "--every", "24h", "--disabled");
    const { code, out, err } = await schedules("run", "run-now");
    expect({ code, out }).toEqual({
      code: 0,
      out: expect.stringMatching(/^run-now {2}completed as task fired-\d+\n$/),
    });
    expect(err).toMatch(/^svc: issued command \S{36}\. Follow it with svc commands watch \S{36}\n$/);
    expect(shop.engine.done).toContain("fire mail.send");
    const shown = await schedules("show", "run-now");
    expect(shown.out).toMatch(
      /^LAST FIRES, UTC +STATUS +FIRED +LATENCY +TASK +FIRE ID +ERROR\n\w{3} \d{4}-.+ acked_success +/m,
    );
    expect(await json("show", "run-now")).toMatchObject({ total_runs: 0, fires: [{ status: "acked_success" }] });
  });

  test("run reports a failure, returns at once on request, and prints JSON", async () => {
    await schedules("create", "run-bad", "--engine", "shop", "--task", "bad", "--every", "24h");
    shop.engine.refuses.set("bad", "queue does not exist");
    expect(await schedules("run", "run-bad")).toMatchObject({
      code: 1,
      out: "run-bad  failed: queue does not exist\n",
    });
    await create("run-later", "--every", "24h");
    expect((await schedules("run", "run-later", "--no-wait")).out).toMatch(/^run-later {2}command \S{36}\n$/);
    const { schedule, fire_id, command } = await json("run", "run-later");
    expect({ name: schedule.name, status: command.status, fire: fire_id.length }).toEqual({
      name: "run-later",
      status: "completed",
      fire: 36,
    });
    expect(await json("run", "run-later", "--no-wait")).toMatchObject({ command: { action: "schedule.fire" } });
  });

  test("run is refused for a paused schedule and for an engine without an agent", async () => {
    await create("run-paused", "--every", "24h");
    await schedules("pause", "run-paused");
    expect(await schedules("run", "run-paused")).toMatchObject({
      code: 6,
      out: "",
      err: expect.stringContaining("the schedule is paused"),
    });
    await schedules("create", "run-elsewhere", "--engine", "nothing", "--task", "t", "--every", "24h");
    const elsewhere = await schedules("run", "run-elsewhere");
    expect(elsewhere.code).toBe(5);
    expect(elsewhere.err).toContain("svc: no online agent serves the engine\n");
    expect(elsewhere.err).toContain("start an agent that serves the engine");
    expect((await schedules("run")).code).toBe(2);
    expect((await schedules("run", "nothing")).code).toBe(5);
  });

  test("misfires lists those of the project and of one schedule", async () => {
    await create("late", "--every", "24h");
    const { id } = await json("show", "late");
    const at = new Date("2026-01-02T03:00:00Z");
    await shop.brain.running.brain.database.write((tx) =>
      tx
        .insertInto("misfire_alerts")
        .values({
          schedule_id: id,
          expected_fire_at: at,
          misfire_kind: "missed_slot",
          project_id: shop.brain.project.id,
          detected_at: new Date("2026-01-02T03:05:00Z"),
          lateness_seconds: 300,
          grace_seconds: 60,
          name: "late",
          engine: "shop",
          kind: "interval",
        })
        .execute(),
    );
    const { code, out } = await schedules("misfires");
    expect(code).toBe(0);
    expect(out).toMatch(
      /^DETECTED +SCHEDULE +MISFIRE +SLOT +LATE +LIMIT\n2026-01-02T03:05:00\S+ +late +missed_slot +2026-01-02T03:00:00\S+ +300 s +60 s\n$/,
    );
    expect(await json("misfires", "late")).toMatchObject([{ misfire_kind: "missed_slot", lateness_seconds: 300 }]);
    await create("on-time", "--every", "24h");
    expect(await schedules("misfires", "on-time")).toEqual({ code: 0, out: "", err: "svc: no misfires\n" });
    expect((await schedules("misfires", "--limit", "1001")).code).toBe(2);
  });
});
