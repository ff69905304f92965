import { type ApiAnswer, startTestBrain } from "@svc/testkit/brain";
import { routeDialects } from "@svc/testkit/databases";
import { describe, expect, test } from "vitest";

for (const dialect of routeDialects) {
  describe(`the API description on ${dialect}`, () => {
    test("leaves an audit row for each reader, and none for refused callers", async () => {
      await using brain = await startTestBrain({ dialect });
      const { database, features } = brain.running.brain;

      expect((await brain.as.anonymous.get("/openapi.json")).status).toBe(401);
      expect((await brain.as.viewer.get("/openapi.json", { "user-agent": "curious/1" })).status).toBe(200);

      const rows = await database.read
        .selectFrom("audit_log")
        .select(["user_id", "target_type", "result", "source_ip", "user_agent"])
        .where("action", "=", "openapi.schema_accessed")
        .execute();
      const viewer = await features.users.findByEmail("viewer@example.org");
      expect(rows).toEqual([
        {
          user_id: viewer?.id,
          target_type: "openapi",
          result: "success",
          source_ip: "127.0.0.1",
          user_agent: "curious/1",
        },
      ]);
    });
  });
}

test("the API description names every content type and status of its routes", async () => {
  await using brain = await startTestBrain({ dialect: "sqlite" });
  const { paths } = (await brain.as.root.get("/openapi.json")).body as { paths: Record<string, { get?: Described }> };
  const slug = brain.project.slug;
  const plain = Object.entries(paths).filter(([path]) => !/\{(?!slug)/.test(path) && !path.includes("/agent/"));
  const exports = ["tasks", "audit"].flatMap((list) =>
    ["csv", "json", "xlsx"].map((format) => [`/api/v1/projects/{slug}/${list}`, `?format=${format}`] as const),
  );
  const seen = new Set<string>();
  for (const [path, query] of [...plain.map(([path]) => [path, ""] as const), ...exports]) {
    const responses = paths[path]?.get?.responses;
    if (responses === undefined) continue;
    const answer = await brain.as.root.get(`${path.slice("/api/v1".length).replace("{slug}", slug)}${query}`);
    const [type = ""] = (answer.headers.get("content-type") ?? "").split(";");
    const response = responses[answer.status];
    expect(response, `${path}${query} answered ${answer.status}`).toBeDefined();
    if (response?.content !== undefined) expect(Object.keys(response.content), `${path}${query}`).toContain(type);
    seen.add(type);
  }
  expect(seen).toContain("text/csv");
  expect(seen.size).toBe(3);
});

test("the API description names the headers that its routes send", async () => {
  await using brain = await startTestBrain({ dialect: "sqlite" });
  const { paths, components } = (await brain.as.root.get("/openapi.json")).body as {
    paths: Record<string, Record<string, Described>>;
    components: { responses: Record<string, { headers?: object }> };
  };
  const project = `/projects/${brain.project.slug}`;
  const bulkRetry = { idempotency_key: "k", filter: { queue: "nothing waits here" } };
  const login = { email: "admin@example.org", password: "wrong password" };
  const sent = [
    [
      "post",
      "/projects/{slug}/bulk-retry-requests",
      "location",
      await brain.as.root.post(`${project}/bulk-retry-requests`, bulkRetry),
    ],
    ["get", "/projects/{slug}/tasks", "content-disposition", await brain.as.root.get(`${project}/tasks?format=csv`)],
    ["post", "/auth/login", "retry-after", await untilLimited(() => brain.as.anonymous.post("/auth/login", login))],
  ] as const;
  for (const [method, path, header, answer] of sent) {
    expect(answer.headers.get(header), `${path} ${answer.status}`).not.toBeNull();
    const response = paths[`/api/v1${path}`]?.[method]?.responses[answer.status];
    const { headers = {} } = response?.$ref
      ? (components.responses[response.$ref.split("/").at(-1) ?? ""] ?? {})
      : { ...response };
    expect(Object.keys(headers).map((name) => name.toLowerCase())).toContain(header);
  }
});

async function untilLimited(ask: () => Promise<ApiAnswer>): Promise<ApiAnswer> {
  for (let count = 0; count < 20; count += 1) await ask();
  return ask();
}

interface Described {
  readonly responses: Readonly<
    Record<
      string,
      { readonly $ref?: string; readonly headers?: object; readonly content?: Readonly<Record<string, unknown>> }
    >
  >;
}
