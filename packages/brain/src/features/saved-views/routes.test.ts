import { randomUUID } from "node:crypto";
import { startTestBrain, type TestBrain } from "@svc/testkit/brain";
import { testDialects } from "@svc/testkit/databases";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

const path = "/projects/shop/saved-views";
const everyFilter = {
  state: "failure",
  priority: ["high", "critical"],
  search: "mail",
  queue: "emails",
  name: "app.",
  worker: "w-1",
  engine: "bullmq",
  q: 'error:"timeout" -queue:slow',
};

for (const dialect of testDialects) {
  describe(`saved views on ${dialect}`, () => {
    let brain: TestBrain;
    const body = (name: unknown, filters: unknown = {}) => ({ name, filters });
    const create = (name: unknown, filters: unknown = {}) => brain.as.viewer.post(path, body(name, filters));
    const namesOf = async (who: "viewer" | "operator" | "root" | "auditor") => {
      const { items } = (await brain.as[who].get(path)).body;
      return items.map(({ name }: { name: string }) => name);
    };

    beforeAll(async () => {
      brain = await startTestBrain({ dialect });
    });
    afterAll(() => brain.stop());
    beforeEach(() => brain.running.brain.database.write((tx) => tx.deleteFrom("saved_views").execute()));

    test("are stored with their effective filters, and listed by name", async () => {
      const first = await create("  Slow mails ", everyFilter);
      expect(first.status).toBe(201);
      expect(first.body).toEqual({
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        name: "Slow mails",
        filters: everyFilter,
        created_at: expect.stringMatching(/Z$/),
        updated_at: first.body.created_at,
      });
      const second = await create("All", {
        state: null,
        priority: [],
        search: "",
        queue: null,
        name: "",
        worker: "w",
        q: "",
      });
      expect(second.body.filters).toEqual({ worker: "w" });
      const third = await create("Both", { priority: ["low", "low", "high"] });
      expect(third.body.filters).toEqual({ priority: ["low", "high"] });
      expect((await brain.as.viewer.get(path)).body.items).toEqual([second.body, third.body, first.body]);
    });

    test("are returned as written, including values that are masked in names", async () => {
      const filters = { queue: "bob@example.com", worker: "celery@a.example.com", q: "worker:celery@web1.example.com" };
      const { body: made } = await create("Mails of bob@example.com", filters);
      expect(made).toMatchObject({ name: "Mails of bob@example.com", filters });
      const [listed] = (await brain.as.viewer.get(path)).body.items;
      const { body: renamed } = await brain.as.viewer.put(`${path}/${made.id}`, body("Renamed", listed.filters));
      expect(renamed.filters).toEqual(filters);
    });

    test("are replaced as a whole", async () => {
      const { body: made } = await create("Mails", everyFilter);
      const { status, body: replaced } = await brain.as.viewer.put(`${path}/${made.id}`, body("Post", { queue: "q" }));
      expect(status).toBe(200);
      expect(replaced).toMatchObject({
        id: made.id,
        name: "Post",
        filters: { queue: "q" },
        created_at: made.created_at,
      });
      expect((await brain.as.viewer.get(path)).body.items).toEqual([replaced]);
      // Under its own name again.
      expect((await brain.as.viewer.put(`${path}/${made.id}`, body("Post"))).body.filters).toEqual({});
    });

    test("are deleted", async () => {
      const { body: made } = await create("Mails");
      expect((await brain.as.viewer.delete(`${path}/${made.id}`)).status).toBe(204);
      expect(await namesOf("viewer")).toEqual([]);
      expect((await brain.as.viewer.delete(`${path}/${made.id}`)).status).toBe(404);
    });

    test("belong to one user and one project", async () => {
      const { body: made } = await create("Mails");
      await brain.as.operator.post(path, body("Mails"));
      await brain.as.root.post(path, body("Of the administrator"));
      const other = await brain.as.root.post("/projects", { slug: `p-${randomUUID().slice(0, 8)}`, name: "Other" });
      await brain.as.root.post(`/projects/${other.body.slug}/saved-views`, body("Of the administrator"));
      expect([await namesOf("viewer"), await namesOf("operator"), await namesOf("root")]).toEqual([
        ["Mails"],
        ["Mails"],
        ["Of the administrator"],
      ]);
      for (const who of ["operator", "root"] as const) {
        const put = await brain.as[who].put(`${path}/${made.id}`, body("Mine"));
        const deleted = await brain.as[who].delete(`${path}/${made.id}`);
        expect([who, put.status, put.body.error, deleted.status]).toEqual([who, 404, "not_found", 404]);
      }
      expect(await namesOf("viewer")).toEqual(["Mails"]);
    });

    test("are deleted with their user and with their project", async () => {
      const { database } = brain.running.brain;
      const [project, user] = [randomUUID(), randomUUID()];
      const row = await database.read.selectFrom("users").selectAll().limit(1).executeTakeFirstOrThrow();
      const shop = await database.read.selectFrom("projects").selectAll().limit(1).executeTakeFirstOrThrow();
      const view = { name: "x", filters: "{}", created_at: new Date(), updated_at: new Date() };
      const countLeft = async () => (await database.read.selectFrom("saved_views").select("id").execute()).length;
      await database.write(async (tx) => {
        await tx
          .insertInto("users")
          .values({ ...row, id: user, email: user, email_key: user })
          .execute();
        await tx
          .insertInto("projects")
          .values({ ...shop, id: project, slug: `s-${project.slice(0, 8)}` })
          .execute();
        await tx
          .insertInto("saved_views")
          .values([
            { ...view, id: randomUUID(), user_id: user, project_id: shop.id },
            { ...view, id: randomUUID(), user_id: row.id, project_id: project },
          ])
          .execute();
      });
      expect(await countLeft()).toBe(2);
      await database.write((tx) => tx.deleteFrom("users").where("id", "=", user).execute());
      expect(await countLeft()).toBe(1);
      await database.write((tx) => tx.deleteFrom("projects").where("id", "=", project).execute());
      expect(await countLeft()).toBe(0);
    });

    test.each([
      ["no name", { filters: {} }, ["body", "name"]],
      ["a blank name", body("  "), ["body", "name"]],
      ["a name of 81 characters", body("x".repeat(81)), ["body", "name"]],
      ["a name with a line break", body("a\nb"), ["body", "name"]],
      ["no filters", { name: "a" }, ["body", "filters"]],
      ["another filter", body("a", { tag: "x" }), ["body", "filters", "tag"]],
      ["another key", { ...body("a"), note: "x" }, ["body", "note"]],
      ["an unknown state", body("a", { state: "done" }), ["body", "filters", "state"]],
      ["an unknown priority", body("a", { priority: ["urgent"] }), ["body", "filters", "priority"]],
      ["five priorities", body("a", { priority: Array(5).fill("low") }), ["body", "filters", "priority"]],
      ["a long search", body("a", { search: "x".repeat(201) }), ["body", "filters", "search"]],
      ["a long query", body("a", { q: "x".repeat(1001) }), ["body", "filters", "q"]],
    ])("are refused with 422 for %s", async (_, given, loc) => {
      const { body: made } = await create("Present");
      for (const answer of [
        await brain.as.viewer.post(path, given),
        await brain.as.viewer.put(`${path}/${made.id}`, given),
      ]) {
        expect([answer.status, answer.body.error]).toEqual([422, "validation_error"]);
        expect(answer.body.details.errors).toContainEqual(expect.objectContaining({ loc }));
      }
      expect(await namesOf("viewer")).toEqual(["Present"]);
    });

    test("accept a name of 80 characters, regardless of code units", async () => {
      expect((await create("🧾".repeat(80))).status).toBe(201);
      expect((await create("🧾".repeat(81))).status).toBe(422);
    });

    test("answer 409 for a name in use", async () => {
      await create("Mails");
      const { body: other } = await create("Other");
      for (const answer of [await create(" Mails "), await brain.as.viewer.put(`${path}/${other.id}`, body("Mails"))]) {
        expect(answer.status).toBe(409);
        expect(answer.body).toMatchObject({ error: "conflict", details: { reason: "name_in_use" } });
      }
    });

    test("are limited to a hundred, even when created concurrently", async () => {
      const answers = await Promise.all(Array.from({ length: 105 }, (_, index) => create(`View ${index}`)));
      const refused = answers.filter(({ status }) => status !== 201);
      expect(refused.map(({ status }) => status)).toEqual([409, 409, 409, 409, 409]);
      expect(refused[0]?.body).toMatchObject({
        error: "conflict",
        details: { reason: "too_many_views", maximum: 100 },
      });
      expect(await namesOf("viewer")).toHaveLength(100);
    });

    test("can only be read by auditors, and not by users outside the project", async () => {
      expect(await namesOf("auditor")).toEqual([]);
      expect((await brain.as.auditor.post(path, body("a"))).status).toBe(403);
      expect((await brain.as.auditor.put(`${path}/${randomUUID()}`, body("a"))).status).toBe(403);
      expect((await brain.as.auditor.delete(`${path}/${randomUUID()}`)).status).toBe(403);
      expect((await brain.as.stranger.get(path)).status).toBe(404);
      expect((await brain.as.anonymous.get(path)).status).toBe(401);
    });

    test("require the CSRF token for changes", async () => {
      const headers = { "x-csrf-token": "wrong" };
      const answers = [
        await brain.as.viewer.post(path, body("a"), headers),
        await brain.as.viewer.put(`${path}/${randomUUID()}`, body("a"), headers),
        await brain.as.viewer.delete(`${path}/${randomUUID()}`, headers),
      ];
      expect(answers.map(({ body: { error } }) => error)).toEqual(["csrf_failed", "csrf_failed", "csrf_failed"]);
    });

    test("with an unknown id are not found, and a malformed id is invalid", async () => {
      expect((await brain.as.viewer.put(`${path}/${randomUUID()}`, body("a"))).status).toBe(404);
      expect((await brain.as.viewer.put(`${path}/x`, body("a"))).status).toBe(422);
    });
  });
}
