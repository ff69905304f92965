import { useTestDatabase } from "@svc/testkit/databases";
import { beforeEach, describe, expect, test } from "vitest";
import { type Browser, startAccess, useAccess } from "../../../test/fixtures/access-fixture.ts";

const opened = useTestDatabase("sqlite");
const fixture = useAccess(opened);
let root: Browser;

beforeEach(async () => {
  await fixture.addUser("root@example.org", { isAdmin: true });
  root = await fixture.signIn("root@example.org");
});

const create = (body: object = {}) => root.send("POST", "/projects", { slug: "shop", name: "Shop", ...body });
async function member(role: "viewer" | "operator" | "admin" | "auditor", slug = "shop"): Promise<Browser> {
  const { id } = (await root.get(`/projects/${slug}`)).body;
  await fixture.addMember(id, `${role}@example.org`, role);
  fixture.projects.forget();
  return fixture.signIn(`${role}@example.org`);
}

describe("POST /projects", () => {
  test("creates a project with its defaults, and its creator as admin", async () => {
    const answer = await create();
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      id: expect.any(String),
      slug: "shop",
      name: "Shop",
      description: null,
      environment: "production",
      timezone: "UTC",
      is_active: true,
      automation_enabled: true,
      automation_revision: 1,
      default_scheduler_owner: "svc-scheduler",
      allowed_schedulers: null,
      settings: null,
      organization_id: null,
      created_at: fixture.clock.now().toISOString(),
      updated_at: fixture.clock.now().toISOString(),
    });
    expect((await root.get("/projects/shop/memberships")).body.items).toMatchObject([
      { user_email: "root@example.org", role: "admin" },
    ]);
    expect(await fixture.auditRows("project.created")).toMatchObject([
      { project_id: answer.body.id, metadata: '{"slug":"shop"}' },
    ]);
    expect(await fixture.auditRows("membership.granted")).toHaveLength(1);
  });

  test("keeps every given field", async () => {
    const given = {
      description: "two\nlines",
      environment: "stage-1.eu",
      timezone: "Europe/Berlin",
      allowed_schedulers: ["svc-scheduler", "celery-beat"],
      default_scheduler_owner: "celery-beat",
      settings: { note: "é✓", list: [1, null] },
    };
    expect((await create(given)).body).toMatchObject(given);
  });

  test.each(["a", "-shop", "shop-", "Shop", "a--b", "a_b", "x".repeat(64), ""])(
    "answers 409 for the slug %j",
    async (slug) => {
      expect(await create({ slug })).toMatchObject({
        status: 409,
        body: { error: "conflict", details: { reason: "slug_pattern" } },
      });
    },
  );

  test("answers 409 for a slug in use", async () => {
    await create();
    expect(await create()).toMatchObject({ status: 409, body: { details: { reason: "slug_in_use" } } });
  });

  test.each([
    ["an empty list of schedulers", { allowed_schedulers: [] }, "allowed_schedulers_empty"],
    ["an owner that is not in the list", { allowed_schedulers: ["other"] }, "scheduler_owner_not_allowed"],
  ])("answers 409 for %s", async (_what, body, reason) => {
    expect(await create(body)).toMatchObject({ status: 409, body: { details: { reason } } });
  });

  test.each([
    ["no name", { name: undefined }],
    ["a blank name", { name: " " }],
    ["a name of 201 characters", { name: "x".repeat(201) }],
    ["a description of 2001 characters", { description: "x".repeat(2001) }],
    ["an environment with a space", { environment: "a b" }],
    ["an unknown time zone", { timezone: "Nowhere/Land" }],
    ["33 schedulers", { allowed_schedulers: Array.from({ length: 33 }, (_, index) => `s${index}`) }],
    ["settings that are not an object", { settings: [] }],
  ])("answers 422 for %s", async (_what, body) => {
    expect(await create(body)).toMatchObject({ status: 422, body: { error: "validation_error" } });
  });

  test("answers 422 for settings of more than 64 KiB", async () => {
    const wide = await startAccess(opened.database, { SVC_MAX_BODY_BYTES: 1_048_576 });
    const browser = await wide.signIn("root@example.org");
    const body = { slug: "big", name: "Big", settings: { text: "x".repeat(65_536) } };
    expect((await browser.send("POST", "/projects", body)).status).toBe(422);
    await wide.app.close();
  });

  test("is refused with 403 to all but instance administrators, and without the CSRF token", async () => {
    await create();
    const admin = await member("admin");
    expect((await admin.send("POST", "/projects", { slug: "mine", name: "Mine" })).status).toBe(403);
    const answer = await root.send("POST", "/projects", { slug: "mine", name: "Mine" }, { "x-csrf-token": "" });
    expect(answer).toMatchObject({ status: 403, body: { error: "csrf_failed" } });
  });
});

describe("GET /projects", () => {
  test("lists all active projects by name to an instance administrator, and archived ones when asked", async () => {
    await create();
    await create({ slug: "attic", name: "Attic" });
    await root.send("DELETE", "/projects/attic");
    const slugs = async (query = "") =>
      (await root.get(`/projects${query}`)).body.map(({ slug }: { slug: string }) => slug);
    expect(await slugs()).toEqual(["shop"]);
    expect(await slugs("?include_archived=true")).toEqual(["attic", "shop"]);
  });

  test("lists to other users only the projects that they are members of", async () => {
    await create();
    await create({ slug: "other", name: "Other" });
    const viewer = await member("viewer");
    expect((await viewer.get("/projects")).body).toMatchObject([{ slug: "shop" }]);
    expect((await viewer.get("/projects/shop")).status).toBe(200);
    expect(await viewer.get("/projects/other")).toMatchObject({ status: 404, body: { error: "not_found" } });
    expect((await viewer.get("/projects/nowhere")).status).toBe(404);
    expect((await fixture.browser().get("/projects")).status).toBe(401);
  });
});

describe("PATCH /projects/{slug}", () => {
  const patch = (body: object, slug = "shop", as = root) => as.send("PATCH", `/projects/${slug}`, body);
  beforeEach(async () => void (await create()));

  test("changes the given fields and names them in the audit log", async () => {
    fixture.clock.advance(5000);
    const answer = await patch({ name: "New", description: null, settings: { a: 1 }, automation_enabled: false });
    expect(answer).toMatchObject({ status: 200, body: { name: "New", settings: { a: 1 }, automation_enabled: true } });
    expect(answer.body.updated_at).toBe(fixture.clock.now().toISOString());
    const [row] = await fixture.auditRows("project.updated");
    expect(JSON.parse(row?.metadata ?? "")).toEqual({ slug: "shop", changed: ["name", "settings"] });
  });

  test("writes nothing when nothing changes", async () => {
    await patch({ name: "Shop", is_active: true });
    expect(await fixture.auditRows("project.updated")).toEqual([]);
    expect(await fixture.auditRows("project.restored")).toEqual([]);
  });

  test("moves the project to a new slug immediately", async () => {
    expect((await patch({ slug: "store" })).status).toBe(200);
    expect((await root.get("/projects/shop")).status).toBe(404);
    expect((await root.get("/projects/store")).status).toBe(200);
  });

  test("answers 409 for a bad slug, a slug in use, and schedulers that contradict the stored ones", async () => {
    await create({ slug: "other", name: "Other" });
    expect((await patch({ slug: "Shop" })).body.details.reason).toBe("slug_pattern");
    expect((await patch({ slug: "other" })).body.details.reason).toBe("slug_in_use");
    expect((await patch({ allowed_schedulers: [] })).body.details.reason).toBe("allowed_schedulers_empty");
    await patch({ allowed_schedulers: ["svc-scheduler", "beat"] });
    expect((await patch({ default_scheduler_owner: "other" })).body.details.reason).toBe("scheduler_owner_not_allowed");
    expect((await patch({ default_scheduler_owner: "beat" })).status).toBe(200);
    expect((await patch({ allowed_schedulers: ["svc-scheduler"] })).body.details.reason).toBe(
      "scheduler_owner_not_allowed",
    );
  });

  test("restores an archived project and refuses any other change to it with 409", async () => {
    await create({ slug: "other", name: "Other" });
    await root.send("DELETE", "/projects/shop");
    expect((await patch({ name: "X" })).body).toMatchObject({
      error: "conflict",
      details: { reason: "project_archived" },
    });
    expect((await patch({ is_active: true, name: "X" })).body).toMatchObject({ is_active: true, name: "X" });
    expect(await fixture.auditRows("project.restored")).toHaveLength(1);
  });

  test("needs the role admin", async () => {
    for (const role of ["viewer", "operator", "auditor"] as const) {
      expect((await patch({ name: "X" }, "shop", await member(role))).status).toBe(403);
    }
    expect((await patch({ name: "X" }, "shop", await member("admin"))).status).toBe(200);
  });
});

describe("DELETE /projects/{slug}", () => {
  beforeEach(async () => void (await create()));

  test("archives the project, notifies listeners, and keeps it readable", async () => {
    await create({ slug: "other", name: "Other" });
    const changes: unknown[] = [];
    fixture.projects.onChanged((change) => void changes.push(change));
    const { id } = (await root.get("/projects/shop")).body;
    expect((await root.send("DELETE", "/projects/shop")).status).toBe(204);
    expect(changes).toEqual([{ projectId: id, isActive: false, endedLabel: null }]);
    expect((await root.get("/projects/shop")).body.is_active).toBe(false);
    expect(await fixture.projects.isActive(id)).toBe(false);
    expect(await fixture.auditRows("project.archived")).toHaveLength(1);
    expect(await root.send("DELETE", "/projects/shop")).toMatchObject({
      status: 409,
      body: { details: { reason: "project_archived" } },
    });
  });

  test("answers 409 for the last active project", async () => {
    const reason = "last_active_project";
    expect(await root.send("DELETE", "/projects/shop")).toMatchObject({ status: 409, body: { details: { reason } } });
  });

  test("is the only way to archive, because it requires a fresh second factor", async () => {
    await create({ slug: "other", name: "Other" });
    expect(await root.send("PATCH", "/projects/shop", { is_active: false })).toMatchObject({
      status: 422,
      body: { error: "validation_error" },
    });
    expect((await root.get("/projects/shop")).body.is_active).toBe(true);
  });

  test("needs the role admin", async () => {
    expect((await (await member("operator")).send("DELETE", "/projects/shop")).status).toBe(403);
  });
});

describe("GET /projects/{slug}/memberships", () => {
  test("lists the members to every member, and answers 404 to others", async () => {
    await create();
    fixture.clock.advance(1);
    const viewer = await member("viewer");
    const { items } = (await viewer.get("/projects/shop/memberships")).body;
    expect(items).toMatchObject([
      { user_email: "root@example.org", role: "admin", user_display_name: null },
      { user_email: "viewer@example.org", role: "viewer" },
    ]);
    await fixture.addUser("stranger@example.org");
    expect((await (await fixture.signIn("stranger@example.org")).get("/projects/shop/memberships")).status).toBe(404);
  });
});
