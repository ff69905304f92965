import { Type } from "typebox";
import { describe, expect, test } from "vitest";
import type { App } from "../app.ts";
import { errorCodes } from "../error-codes.ts";
import { apiKey, as, startFixture, withKey } from "../http-fixture.ts";
import { Instant, InstantText, ProjectParams } from "../schemas.ts";
import { openApiDocument } from "./openapi.ts";

const routes = (app: App) => {
  app.get(
    "/api/v1/projects/:slug/tasks",
    {
      config: { tag: "tasks", role: "viewer", bucket: "bulk" },
      schema: {
        operationId: "listThings",
        params: ProjectParams,
        querystring: Type.Object({ since: Type.Optional(InstantText) }),
        response: { 200: Type.Object({ at: Instant }) },
      },
    },
    () => ({ at: new Date(0) }),
  );
  app.get("/health", { config: { tag: "health", public: true } }, () => ({}));
  for (const path of ["/state", "/api/v1/state", "/file"]) {
    const schema = { operationId: path === "/file" ? "getFile" : "getState", response: { 200: Type.Object({}) } };
    app.get(path, { config: { tag: "health", public: true }, schema }, () => ({}));
  }
};
const start = (visibility: "public" | "private" | "disabled", read: string[] = []) =>
  startFixture({
    routes,
    keys: { k: apiKey("ann", []) },
    deps: { openapi: { visibility, version: "0.1.0", onRead: (request) => void read.push(request.clientAddress) } },
  });

describe("the OpenAPI document", () => {
  test("describes the operations, each once, with what callers need", async () => {
    const { app } = await start("public");
    const document = (await app.inject({ url: "/api/v1/openapi.json" })).json();
    expect(document).toMatchObject({ openapi: "3.1.0", info: { title: "svc", version: "0.1.0" } });
    expect(Object.keys(document.paths)).toEqual(["/api/v1/projects/{slug}/tasks", "/api/v1/state", "/file"]);
    const { get, head } = document.paths["/api/v1/projects/{slug}/tasks"];
    expect(head).toBeUndefined();
    expect(get).toMatchObject({
      tags: ["tasks"],
      operationId: "listThings",
      security: [{ session: [] }, { apiKey: [] }],
      "x-svc-role": "viewer",
      "x-svc-scope": "tasks:read",
      "x-svc-bucket": "bulk",
    });
    expect(get.parameters).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: "since", schema: expect.objectContaining({ format: "date-time" }) }),
      ]),
    );
    expect(get.responses.default.content["application/json"].schema).toEqual({ $ref: "#/components/schemas/Error" });
    expect(document.components.schemas.Error.properties).toHaveProperty("request_id");
  });

  test("has an ETag that saves the second read, and every read is reported", async () => {
    const read: string[] = [];
    const { app } = await start("public", read);
    const first = await app.inject({ url: "/api/v1/openapi.json" });
    const again = await app.inject({
      url: "/api/v1/openapi.json",
      headers: { "if-none-match": String(first.headers.etag) },
    });
    expect([again.statusCode, again.body]).toEqual([304, ""]);
    expect(read).toEqual(["127.0.0.1", "127.0.0.1"]);
  });

  test("private needs a session or any key, else 401 with the scheme", async () => {
    const { app } = await start("private");
    for (const url of ["/api/v1/openapi.json", "/api/v1/docs"]) {
      expect((await app.inject({ url, headers: as("ann") })).statusCode).toBe(200);
      expect((await app.inject({ url, headers: withKey("k") })).statusCode).toBe(200);
      const refused = await app.inject({ url });
      expect([refused.statusCode, refused.headers["www-authenticate"]]).toEqual([401, "Bearer"]);
    }
  });

  test("disabled is 404, but the document can be printed for the client", async () => {
    const { app } = await start("disabled");
    for (const url of ["/api/v1/openapi.json", "/api/v1/docs", "/api/v1/docs/docs.js"]) {
      expect((await app.inject({ url, headers: as("ann") })).statusCode).toBe(404);
    }
    expect(openApiDocument(app).paths).toHaveProperty(["/api/v1/projects/{slug}/tasks"]);
  });

  test("and its page share the bucket of 10 a minute", async () => {
    const { app } = await start("public");
    for (let count = 0; count < 5; count += 1) {
      await app.inject({ url: "/api/v1/openapi.json" });
      await app.inject({ url: "/api/v1/docs" });
    }
    expect((await app.inject({ url: "/api/v1/openapi.json" })).statusCode).toBe(429);
  });
});

describe("the page of the description", () => {
  test("has the strict policy and loads nothing external", async () => {
    const { app } = await start("public");
    const page = await app.inject({ url: "/api/v1/docs" });
    expect(page.headers["content-security-policy"]).toContain("default-src 'self'");
    expect(page.body).not.toMatch(/<script>|<style|style=|\son\w+=|https?:\/\//);
    const script = await app.inject({ url: "/api/v1/docs/docs.js" });
    expect(script.headers["content-type"]).toBe("text/javascript; charset=utf-8");
    expect(script.body).not.toMatch(/innerHTML|https?:\/\/|eval\(/);
    expect((await app.inject({ url: "/api/v1/docs/docs.css" })).headers["content-type"]).toBe(
      "text/css; charset=utf-8",
    );
    expect(() => new Function(script.body)).not.toThrow();
  });
});

test("the table of error codes holds the 23 codes of the specification", () => {
  expect(Object.keys(errorCodes)).toHaveLength(23);
  const byStatus = Object.entries(errorCodes).map(([code, { status }]) => `${status} ${code}`);
  expect(byStatus.sort()).toEqual([
    "400 invalid_host",
    "401 unauthenticated",
    "403 csrf_failed",
    "403 forbidden",
    "403 ip_denied",
    "403 mfa_enrollment_required",
    "403 mfa_reverify_required",
    "403 project_inactive",
    "403 scope_missing",
    "403 step_up_required",
    "404 not_found",
    "405 method_not_allowed",
    "409 conflict",
    "410 gone",
    "413 payload_too_large",
    "415 unsupported_media_type",
    "422 validation_error",
    "426 protocol_incompatible",
    "429 rate_limited",
    "500 internal_error",
    "502 adapter_error",
    "503 unready",
    "504 command_timeout",
  ]);
});
