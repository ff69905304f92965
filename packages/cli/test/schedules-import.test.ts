import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CommandContext } from "./in-process.ts";
import { type Shop, startShop } from "./shop.ts";

let shop: Shop;
let folder: string;
beforeAll(async () => {
  shop = await startShop();
  folder = await mkdtemp(join(tmpdir(), "svc-import-"));
});
afterAll(async () => {
  await shop?.brain.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Each test has its own project, so that it sees only its own schedules. */
let projects = 0;
async function startProject() {
  projects += 1;
  const slug = `import-${projects}`;
  await shop.brain.addProject(slug, slug);
  const run = (words: readonly string[], around?: CommandContext) =>
    shop.signedIn(["schedules", ...words, "--project", slug], "admin", around);
  return {
    slug,
    run,
    list: async () =>
      JSON.parse((await run(["list", "--json", "--limit", "500"])).out).items as Record<string, unknown>[],
  };
}

async function file(name: string, content: unknown): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

const crontabOptions = ["--engine", "shop", "--task", "shell.run", "--timezone", "UTC"];
const crontab = (path: string, ...words: string[]) => ["import", "crontab", path, ...crontabOptions, ...words];

describe("svc schedules import", () => {
  test("shows the differences of a crontab, asks, and creates, changes and deletes", async () => {
    const { run, list } = await startProject();
    const path = await file("jobs.crontab", "0 4 * * * backup --all\n0 5 * * * report\n");
    const unasked = await run(crontab(path));
    expect(unasked).toEqual({
      code: 6,
      out: "+ backup --all  Every day at 04:00 (UTC): shell.run on shop\n+ report  Every day at 05:00 (UTC): shell.run on shop\n",
      err: [
        "svc: 2 to create, 0 to change, 0 to delete, 0 unchanged",
        "svc: nothing was imported. Use --yes to import without confirmation: 2 to create, 0 to change, 0 to delete, 0 unchanged",
        "",
      ].join("\n"),
    });
    expect(await list()).toEqual([]);

    const asked = await run(crontab(path), { typed: "y\n" });
    expect(asked).toMatchObject({
      code: 0,
      err: expect.stringContaining("svc: 2 created, 0 changed, 0 deleted, 0 unchanged\n"),
    });
    expect(await list()).toMatchObject([
      {
        name: "backup --all",
        source: "crontab:jobs",
        catch_up: "skip",
        kwargs: { command: "backup --all" },
        is_enabled: true,
      },
      { name: "report", expression: "0 5 * * *" },
    ]);
    expect(await run(crontab(path))).toEqual({
      code: 0,
      out: "",
      err: "svc: 0 to create, 0 to change, 0 to delete, 2 unchanged\n",
    });

    await run(["disable", "report"]);
    await file("jobs.crontab", "30 5 * * * report\n");
    const changed = await run(crontab(path, "--replace", "--yes", "--catch-up", "fire_one_missed"));
    expect(changed).toMatchObject({
      code: 0,
      err: expect.stringContaining("svc: 0 created, 1 changed, 1 deleted, 0 unchanged\n"),
    });
    expect(changed.out).toBe(
      '~ report  expression "0 5 * * *" -> "30 5 * * *", catch_up "skip" -> "fire_one_missed"\n- backup --all  Every day at 04:00 (UTC): shell.run on shop\n',
    );
    expect(await list()).toMatchObject([{ name: "report", expression: "30 5 * * *", is_enabled: false }]);
  });

  test("stops at an entry that can't be imported, unless it is partial", async () => {
    const { run, list } = await startProject();
    const path = await file("partly.crontab", "SHELL=/bin/sh\n0 4 * * * a\n@reboot b\n");
    const stopped = await run(crontab(path, "--yes"));
    expect(stopped.code).toBe(6);
    expect(stopped.err).toContain("svc: note: line 1: SHELL is ignored");
    expect(stopped.err).toContain("svc: not imported: line 3: @reboot is not a time");
    expect(stopped.err).toContain("nothing was imported, because 1 entry can't be imported");
    expect(await list()).toEqual([]);
    expect((await run(crontab(path, "--replace"), { typed: "y\n" })).code).toBe(6);

    const partial = await run(crontab(path, "--yes", "--partial", "--disabled", "--json"));
    expect(partial.code).toBe(0);
    expect(JSON.parse(partial.out)).toMatchObject({
      problems: [{ at: "line 3", text: expect.stringContaining("@reboot") }],
      problem_count: 1,
      notes: [{ at: "line 1" }],
      diff: { inserted: [{ name: "a" }], summary: { inserted: 1 } },
      result: { inserted: 1, failed: 0, errors: {} },
    });
    expect(await list()).toMatchObject([{ name: "a", is_enabled: false }]);
  });

  test("reports what the service refuses, by name", async () => {
    const { run, list, slug } = await startProject();
    await shop.brain.as.root.patch(`/projects/${slug}`, {
      allowed_schedulers: ["shop"],
      default_scheduler_owner: "shop",
    });
    const { code, out, err } = await run(crontab(await file("refused.crontab", "0 4 * * * a\n0 5 * * * b\n"), "--yes"));
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toMatch(/^svc: not imported: a: .+\nsvc: not imported: b: .+\nsvc: 0 to create, .+\n$/);
    expect(await list()).toEqual([]);
  });

  test("imports Celery beat and BullMQ, from a file and from standard input", async () => {
    const { run, list } = await startProject();
    const beat = { beat_schedule: { report: { task: "report", schedule: "<crontab: 0 4 * * 1 (m/h/dM/MY/d)>" } } };
    expect(
      (await run(["import", "celery-beat", await file("beat.json", beat), "--timezone", "Asia/Tokyo", "--yes"])).code,
    ).toBe(0);
    const schedulers = {
      mail: [{ key: "digest", name: "send", pattern: "30 0 4 * * *", tz: "UTC", template: { data: { n: 1 } } }],
    };
    const piped = await run(["import", "bullmq", "-", "--yes"], { input: JSON.stringify(schedulers) });
    expect(piped.code).toBe(0);
    expect(await list()).toMatchObject([
      {
        name: "mail:digest",
        engine: "bullmq",
        queue: "mail",
        task_name: "send",
        expression: "0 4 * * * 30",
        source: "bullmq:stdin",
      },
      { name: "report", engine: "celery", timezone: "Asia/Tokyo", expression: "0 4 * * 1", source: "celery-beat:beat" },
    ]);
  });

  test("reads back what export prints, into another project, without differences", async () => {
    const [first, second] = [await startProject(), await startProject()];
    const given = [
      "--engine",
      "shop",
      "--task",
      "t",
      "--kwargs",
      '{"n":12345678901234567890}',
      "--long-run",
      "1h",
      "--overlap",
      "skip",
    ];
    await first.run(["create", "hourly", ...given, "--cron", "0 * * * *", "--timezone", "Europe/Berlin", "--disabled"]);
    await first.run([
      "create",
      "sun",
      "--engine",
      "shop",
      "--task",
      "t",
      "--solar",
      "sunset:52.5:13.4",
      "--priority",
      "low",
    ]);
    const { out } = await first.run(["export"]);
    const path = await file("exported.json", out);
    expect((await second.run(["import", "json", path, "--yes"])).code).toBe(0);
    const own = ({
      id,
      project_id,
      control_token,
      schedule_revision,
      created_at,
      updated_at,
      next_run_at,
      ...rest
    }: Record<string, unknown>) => rest;
    expect((await second.list()).map(own)).toEqual((await first.list()).map(own));
    expect((await second.run(["export"])).out).toBe(out);
    expect((await second.run(["diff", "json", path, "--exit-code"])).code).toBe(0);
  });

  test("splits a large file into several requests", async () => {
    const { run } = await startProject();
    const lines = Array.from({ length: 2100 }, (_, index) => `${index % 60} ${index % 24} * * * job ${index}`);
    const path = await file("large.crontab", lines.join("\n"));
    const { code, err } = await run(crontab(path, "--yes"));
    expect(code).toBe(0);
    expect(err).toContain("svc: 2100 created, 0 changed, 0 deleted, 0 unchanged\n");
    expect((await run(crontab(path, "--replace", "--yes"))).err).toContain("--replace accepts at most 2,000 schedules");
  });

  test.each([
    [["import"], 2, "missing FORMAT: crontab, celery-beat, bullmq, json"],
    [["import", "fcron", "x"], 2, "missing FORMAT"],
    [["import", "crontab"], 2, "missing FILE"],
    [["import", "json", "x", "y"], 2, 'unexpected argument "y"'],
    [["import", "crontab", "x"], 2, "missing --engine"],
    [["import", "crontab", "x", "--engine", "e"], 2, "give either --task or --task-from-command"],
    [["import", "crontab", "x", "--engine", "e", "--task", "t", "--task-from-command"], 2, "give either --task"],
    [["import", "bullmq", "x", "--task", "t"], 2, "--task is not for bullmq"],
    [["import", "json", "x", "--engine", "e"], 2, "--engine is not for json"],
    [["import", "json", "x", "--catch-up", "all"], 2, "--catch-up must be one of"],
    [["import", "json", "x", "--source-name", "x".repeat(60)], 2, "the source name is too long"],
    [["import", "json", "/nowhere/x.json"], 5, "can't read /nowhere/x.json"],
    [["diff", "json", "-"], 1, "the input is not valid JSON"],
  ])("is refused with %j by exit code %i", async (words, code, message) => {
    const ran = await shop.signedIn(["schedules", ...words], "admin");
    expect(ran).toMatchObject({ code, out: "", err: expect.stringContaining(message) });
  });

  test("is refused for a terminal as input, an empty file, and an operator", async () => {
    const { run } = await startProject();
    expect(await run(["import", "json", "-"], { typed: "" })).toMatchObject({
      code: 2,
      err: expect.stringContaining("standard input is a terminal"),
    });
    expect(await run(crontab(await file("empty.crontab", "# nothing\n"), "--replace", "--yes"))).toMatchObject({
      code: 1,
      err: "svc: the input contains no schedule that can be imported\n",
    });
    const path = await file("one.crontab", "0 4 * * * a\n");
    const asOperator = await shop.withKey(["schedules", ...crontab(path), "--project", "shop"], "operator");
    expect(asOperator.code).toBe(6);
  });
});

describe("svc schedules diff", () => {
  test("changes nothing, and reports differences by its exit code on request", async () => {
    const { run, list } = await startProject();
    const path = await file("diff.crontab", "0 4 * * * a\n");
    const diff = ["diff", "crontab", path, ...crontabOptions];
    expect(await run(diff)).toMatchObject({ code: 0, out: "+ a  Every day at 04:00 (UTC): shell.run on shop\n" });
    expect((await run([...diff, "--exit-code"])).code).toBe(1);
    expect(JSON.parse((await run([...diff, "--json"])).out)).toMatchObject({
      problems: [],
      diff: { inserted: [{ name: "a", proposed: { source: "crontab:diff" } }] },
    });
    expect(await list()).toEqual([]);
  });
});

describe("svc schedules forecast", () => {
  test("prints the hours of the next days, and minutes in which several schedules fire", async () => {
    const { run } = await startProject();
    expect((await run(["forecast"])).out).toBe("no slots: 0 active schedules (UTC)\n");
    const path = await file("forecast.crontab", "0 4 * * * a\n0 4 * * * b\n");
    await run(crontab(path, "--yes"));
    const { code, out, err } = await run(["forecast", "--days", "3"]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toMatch(/^2 active schedules, slots by hour \(UTC\)\n\nDAY +00 01 02 /);
    expect(out.match(/^\d{4}-\d\d-\d\d +(?:\. +)*2(?: +\.)*$/gm)?.length).toBeGreaterThanOrEqual(2);
    expect(out).toMatch(/^\w{3} \d{4}-\d\d-\d\d 04:00 \+00:00 +2 +a, b$/m);
    expect(JSON.parse((await run(["forecast", "--json"])).out)).toMatchObject({ schedule_count: 2, is_capped: false });
    expect((await run(["forecast", "--days", "8"])).code).toBe(2);
  });
});
