import { randomUUID } from "node:crypto";
import { signIn, startTestBrain, type TestBrain, testPassword } from "@svc/testkit/brain";
import { routeDialects } from "@svc/testkit/databases";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { AuditEntry } from "./index.ts";

interface Item {
  id: string;
  action: string;
  occurred_at: string;
  source_ip: string | null;
}

for (const dialect of routeDialects) {
  describe(`audit routes on ${dialect}`, () => {
    let brain: TestBrain;
    let other: { id: string; slug: string };
    const idOf = async (name: string) =>
      (await brain.running.brain.features.users.findByEmail(`${name}@example.org`))?.id ?? "";
    const record = (...entries: AuditEntry[]) => brain.running.brain.features.audit.record(entries);
    const list = (query = "", as: keyof TestBrain["as"] = "auditor") =>
      brain.as[as].get(`/projects/shop/audit${query}`);
    const actionsOf = (body: { items: Item[] }) => body.items.map(({ action }) => action);

    beforeAll(async () => {
      brain = await startTestBrain({ dialect });
      other = await brain.addProject("other", "Other");
      const stranger = await brain.running.brain.features.memberships.list(other.id);
      // The auditor of the shop is only a viewer here.
      await brain.running.brain.database.write(async (tx) => {
        const auditor = stranger.find(({ role }) => role === "auditor")!;
        await tx
          .updateTable("memberships")
          .set({ role: "viewer" })
          .where("user_id", "=", auditor.user_id)
          .where("project_id", "=", other.id)
          .execute();
      });
      const userId = await idOf("auditor");
      await record(
        ...Array.from({ length: 120 }, (_, n) => ({
          action: n % 2 === 0 ? "probe.one" : "probe%two",
          target_type: "probe",
          target_id: n === 0 ? "=cmd()" : `t-${n}`,
          project_id: brain.project.id,
          source_ip: "10.1.2.3",
          user_agent: "probe/1",
          result: n % 3 === 0 ? "failed" : "success",
          user_id: n % 4 === 0 ? userId : null,
          metadata: { n, exact: 1 },
        })),
        { action: "probe.elsewhere", target_type: "probe", project_id: other.id },
        { action: "probe.own", target_type: "probe", user_id: userId },
        { action: "probe.foreign", target_type: "probe", user_id: await idOf("stranger") },
        { action: "probe.no-user", target_type: "probe" },
      );
    });
    afterAll(() => brain.stop());

    describe("GET /projects/{slug}/audit", () => {
      // Audit reads require the role auditor or admin.
      test.each([
        ["auditor", 200],
        ["admin", 200],
        ["root", 200],
        ["operator", 403],
        ["viewer", 403],
        ["stranger", 404],
        ["anonymous", 401],
      ] as const)("answers %s with %i", async (as, status) => {
        expect((await list("", as)).status).toBe(status);
        expect((await list("?format=csv&action_prefix=none", as)).status).toBe(status);
      });

      test("shows exactly the fields of the shape, newest first, with six decimals", async () => {
        const { body } = await list("?action_prefix=probe&limit=2");
        expect(body.items).toHaveLength(2);
        expect(body.items[0]).toEqual({
          id: expect.any(String),
          project_id: brain.project.id,
          user_id: null,
          action: "probe%two",
          target_type: "probe",
          target_id: "t-119",
          result: "success",
          outcome: "allow",
          event_id: null,
          metadata: { n: 119, exact: 1 },
          source_ip: null,
          user_agent: "probe/1",
          occurred_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
        });
        expect(body.items[1].occurred_at < body.items[0].occurred_at).toBe(true);
      });

      test("shows addresses to instance administrators only", async () => {
        const ofProject = await brain.addMember("pia", "admin");
        const address = async (who: TestBrain["as"]["root"]) =>
          (await who.get("/projects/shop/audit?action_prefix=probe&limit=1")).body.items[0].source_ip;
        expect([await address(brain.as.root), await address(ofProject), await address(brain.as.auditor)]).toEqual([
          "10.1.2.3",
          null,
          null,
        ]);
      });

      test("pages contain every row once, and an invalid cursor starts at the top", async () => {
        const seen: string[] = [];
        let cursor = "%20bad";
        do {
          const { body } = await list(`?action_prefix=probe&limit=50&cursor=${cursor}`);
          seen.push(...body.items.map(({ id }: Item) => id));
          cursor = body.next_cursor;
        } while (cursor !== null);
        expect([seen.length, new Set(seen).size]).toEqual([120, 120]);
      });

      test("filters by a literal prefix, the outcome, the user, the target and the time", async () => {
        const total = async (query: string) => (await list(`?limit=500&${query}`)).body.items.length;
        expect(await total("action_prefix=probe.")).toBe(60);
        expect(await total("action_prefix=probe%25")).toBe(60);
        expect(await total("action_prefix=prob_")).toBe(0);
        expect(await total("action_prefix=PROBE")).toBe(0);
        expect(await total("action_prefix=probe&outcome=failure")).toBe(40);
        expect(await total(`action_prefix=probe&user_id=${await idOf("auditor")}`)).toBe(30);
        expect(await total(`action_prefix=probe&user_id=${(await idOf("auditor")).toUpperCase()}`)).toBe(30);
        expect(await total("target_id=t-119")).toBe(1);
        expect(await total("target_id=t-119&outcome=none")).toBe(0);
        expect(await total("target_id=t-11")).toBe(1);
        expect(await total("target_id=t-")).toBe(0);
        expect(await total("action_prefix=probe&since=2000-01-01")).toBe(120);
        expect(await total("since=2999-01-01")).toBe(0);
        expect(await total("action_prefix=probe&until=2999-01-01")).toBe(120);
        expect(await total("until=2000-01-01")).toBe(0);
        const { body } = await list("?format=json&action_prefix=probe&until=2000-01-01");
        expect(body).toEqual([]);
      });

      test.each([
        ["action_prefix", "x".repeat(81)],
        ["outcome", "x".repeat(21)],
        ["user_id", "me"],
        ["target_id", "x".repeat(201)],
        ["since", "yesterday"],
        ["until", "tomorrow"],
        ["format", "pdf"],
        ["fields", "x".repeat(401)],
      ])("answers 422 for a bad %s", async (name, value) => {
        const { status, body } = await list(`?${name}=${value}`);
        expect([status, body.error]).toEqual([422, "validation_error"]);
        expect(body.details.errors[0].loc).toContain(name);
      });
    });

    describe("an export of the audit rows", () => {
      test("is CSV of all matching rows with formulas escaped, and adds an audit row that it does not contain", async () => {
        const { headers, text } = await list("?format=csv&action_prefix=probe&fields=target_id,metadata,source_ip");
        expect(headers.get("content-disposition")).toBe('attachment; filename="svc-audit-shop.csv"');
        const lines = text.split("\r\n");
        expect(lines).toHaveLength(122);
        expect(lines[0]).toBe("target_id,metadata,source_ip");
        expect(lines[120]).toBe(`'=cmd(),"{""exact"":1,""n"":0}",`);
        const { body } = await list("?limit=1");
        expect(body.items[0]).toMatchObject({
          action: "audit.export",
          target_id: brain.project.id,
          metadata: { format: "csv", rows: 120, fields: ["target_id", "metadata", "source_ip"] },
        });
        const exportsIn = (items: Item[]) => items.filter(({ action }) => action === "audit.export").length;
        const before = exportsIn((await list("?limit=500")).body.items);
        expect(exportsIn((await list("?format=json&fields=action")).body)).toBe(before);
        expect(exportsIn((await list("?limit=500")).body.items)).toBe(before + 1);
      });

      test("is JSON with every field by default, and a workbook", async () => {
        const { body } = await list("?format=json&action_prefix=probe", "root");
        expect(body).toHaveLength(120);
        expect(Object.keys(body[0])).toHaveLength(13);
        expect(body[0].source_ip).toBe("10.1.2.3");
        expect((await list("?format=xlsx&action_prefix=probe")).text.slice(0, 2)).toBe("PK");
      });

      // 50,000 rows for csv and json, 25,000 for xlsx.
      test("is refused above its cap before the first byte", async () => {
        const big = await brain.addProject("big", "Big");
        let filled = (await brain.as.root.get("/projects/big/audit")).body.items.length;
        async function fillTo(count: number) {
          for (; filled < count; filled = Math.min(count, filled + 1000))
            await insertRows(Math.min(1000, count - filled));
        }
        const insertRows = (count: number) =>
          brain.running.brain.database.write((tx) =>
            tx
              .insertInto("audit_log")
              .values(
                Array.from({ length: count }, () => {
                  const id = randomUUID();
                  return {
                    ...{ id, project_id: big.id, action: "bulk.filled", target_type: "probe", result: "success" },
                    ...{ metadata: "{}", occurred_us: 1, row_hmac: id, prev_row_hmac: id, hmac_version: 2 },
                    ...{ hmac_key_id: "none", chain_generation: big.id },
                  };
                }) as never,
              )
              .execute(),
          );
        const answers = async (format: string) =>
          (await brain.as.root.get(`/projects/big/audit?format=${format}&fields=action`)).status;
        await fillTo(24_999);
        expect(await answers("xlsx")).toBe(200);
        // The export has added its own audit row.
        expect(await answers("xlsx")).toBe(200);
        const refused = await brain.as.root.get("/projects/big/audit?format=xlsx");
        expect([refused.status, refused.body.details.cap]).toEqual([422, 25_000]);
        await fillTo(49_998);
        expect(await answers("csv")).toBe(200);
        expect([await answers("csv"), await answers("json")]).toEqual([422, 422]);
      });

      test("answers 422 with the unknown and the known names for an unknown field", async () => {
        const { status, body } = await list("?format=csv&fields=action,row_hmac");
        expect([status, body.details.unknown]).toEqual([422, ["row_hmac"]]);
        expect(body.details.known).toContain("occurred_at");
      });
    });

    describe("GET /activity", () => {
      const feed = (as: keyof TestBrain["as"], query = "") => brain.as[as].get(`/activity?limit=200${query}`);

      test("shows the fields of the feed with the project's slug", async () => {
        const { body } = await feed("auditor", "&action_prefix=probe");
        expect(Object.keys(body.items[0]).sort()).toEqual(
          [
            "action",
            "id",
            "metadata",
            "occurred_at",
            "outcome",
            "project_id",
            "project_slug",
            "result",
            "source_ip",
            "target_id",
            "target_type",
            "user_id",
          ].sort(),
        );
        expect(new Set(body.items.map((row: { project_slug: string | null }) => row.project_slug))).toEqual(
          new Set(["shop", null]),
        );
      });

      // Visibility of the activity feed.
      test("shows everything to an instance administrator, with addresses", async () => {
        const { body } = await feed("root", "&action_prefix=probe");
        const seen = new Set(actionsOf(body));
        for (const action of ["probe.one", "probe.elsewhere", "probe.own", "probe.foreign", "probe.no-user"])
          expect(seen).toContain(action);
        expect(body.items.some(({ source_ip }: Item) => source_ip === "10.1.2.3")).toBe(true);
      });

      test("shows an auditor the audited project and their own rows outside any project", async () => {
        const { body } = await feed("auditor", "&action_prefix=probe");
        expect(new Set(actionsOf(body))).toEqual(new Set(["probe.one", "probe%two", "probe.own"]));
        expect(body.items).toHaveLength(121);
        expect(body.items.every(({ source_ip }: Item) => source_ip === null)).toBe(true);
      });

      test.each(["viewer", "operator", "stranger"] as const)("shows a %s their own rows only", async (as) => {
        await signIn(brain.url, `${as}@example.org`, testPassword);
        const { body } = await feed(as);
        expect(body.items.length).toBeGreaterThan(0);
        expect(body.items.every((row: { user_id: string; project_id: null }) => row.project_id === null)).toBe(true);
        expect(new Set(body.items.map((row: { user_id: string }) => row.user_id))).toEqual(new Set([await idOf(as)]));
      });

      test("answers 401 without a sign-in", async () => {
        expect((await feed("anonymous")).status).toBe(401);
      });

      test("shows one project, and nothing for an unknown project or one that the caller cannot audit", async () => {
        const slugs = async (as: keyof TestBrain["as"], slug: string) =>
          (await feed(as, `&action_prefix=probe&project_slug=${slug}`)).body.items.length;
        expect(await slugs("auditor", "shop")).toBe(120);
        expect([await slugs("auditor", "other"), await slugs("auditor", "nothing")]).toEqual([0, 0]);
        expect([await slugs("root", "other"), await slugs("root", "nothing")]).toEqual([1, 0]);
        expect(await slugs("viewer", "shop")).toBe(0);
      });

      test("takes the prefix of the action literally", async () => {
        expect(new Set(actionsOf((await feed("auditor", "&action_prefix=probe%25")).body))).toEqual(
          new Set(["probe%two"]),
        );
        expect((await feed("auditor", "&action_prefix=prob_")).body.items).toEqual([]);
      });

      test("pages back with before_cursor and forward with since_cursor, each row once", async () => {
        const page = (query: string) => brain.as.auditor.get(`/activity?action_prefix=probe&limit=50${query}`);
        const first = (await page("")).body;
        const second = (await page(`&before_cursor=${encodeURIComponent(first.next_before_cursor)}`)).body;
        const third = (await page(`&before_cursor=${encodeURIComponent(second.next_before_cursor)}`)).body;
        expect([first, second, third].map(({ items }) => items.length)).toEqual([50, 50, 21]);
        expect(third.next_before_cursor).toBeNull();
        expect(first.newest_cursor).toBe(`${first.items[0].occurred_at}|${first.items[0].id}`);

        const since = encodeURIComponent(first.newest_cursor);
        expect((await page(`&since_cursor=${since}`)).body).toEqual({
          items: [],
          next_before_cursor: null,
          newest_cursor: first.newest_cursor,
        });
        await record({ action: "probe.new", target_type: "probe", project_id: brain.project.id });
        expect(actionsOf((await page(`&since_cursor=${since}`)).body)).toEqual(["probe.new"]);
        expect((await page("&since_cursor=nonsense")).body.items).toHaveLength(50);
      });

      test("returns 50 rows by default and at most 200", async () => {
        const length = async (query: string) => (await brain.as.root.get(`/activity${query}`)).body.items.length;
        expect([await length(""), await length("?limit=0"), await length("?limit=-1")]).toEqual([50, 50, 50]);
        await record(...Array.from({ length: 200 }, () => ({ action: "probe.more", target_type: "probe" })));
        expect(await length("?limit=100000")).toBe(200);
      });

      test("answers the 61st request of a user in a minute with 429, Retry-After 60 and a detail text", async () => {
        const ann = await brain.addMember("ann", "viewer");
        const answers = await Promise.all(Array.from({ length: 61 }, () => ann.get("/activity?limit=1")));
        expect(answers.filter(({ status }) => status === 200)).toHaveLength(60);
        const refused = answers.find(({ status }) => status === 429);
        expect(refused?.headers.get("retry-after")).toBe("60");
        expect(refused?.body).toMatchObject({ error: "rate_limited", detail: expect.any(String) });
        expect((await brain.as.operator.get("/activity?limit=1")).status).toBe(200);
      });
    });
  });
}
