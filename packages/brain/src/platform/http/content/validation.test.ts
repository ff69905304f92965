import { type TSchema, Type } from "typebox";
import { describe, expect, test } from "vitest";
import { startFixture } from "../http-fixture.ts";
import { InstantText, Nullable, OneOf, parseInstant, Uuid } from "../schemas.ts";

const config = { tag: "setup", public: true } as const;

async function query(schema: TSchema, text: string) {
  const { app } = await startFixture({
    routes: (app) =>
      void app.get("/q", { config, schema: { querystring: schema } }, (request) => request.query as object),
  });
  const response = await app.inject({ url: `/q?${text}` });
  return response.statusCode === 200 ? response.json() : response.json().details.errors;
}

async function post(schema: TSchema, body: unknown) {
  const { app } = await startFixture({
    routes: (app) => void app.post("/b", { config, schema: { body: schema } }, (request) => request.body as object),
  });
  const response = await app.inject({
    method: "POST",
    url: "/b",
    payload: JSON.stringify(body),
    headers: { "content-type": "application/json" },
  });
  return { status: response.statusCode, text: response.body, json: response.json() };
}

const Search = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 5000 })),
  share: Type.Optional(Type.Number()),
  all: Type.Boolean({ default: false }),
  id: Type.Optional(Type.Array(Type.String(), { maxItems: 3 })),
  state: Type.Optional(OneOf(["failure", "retry"])),
  since: Type.Optional(InstantText),
  top: Type.Optional(Nullable(Type.Integer())),
});

describe("query values", () => {
  test("are read by the type that the schema names, with defaults", async () => {
    expect(await query(Search, "limit=5&share=0.5&all=true&id=a&id=b&state=retry&top=3")).toEqual({
      limit: 5,
      share: 0.5,
      all: true,
      id: ["a", "b"],
      state: "retry",
      top: 3,
    });
    expect(await query(Search, "id=007")).toEqual({ all: false, id: ["007"] });
  });

  test("that are unknown are ignored", async () => {
    expect(await query(Search, "nonsense=1")).toMatchObject({ all: false });
  });

  test.each([
    "limit=",
    "limit=5.5",
    "limit=0x10",
    "limit=1e3",
    "limit=%205",
    "limit=abc",
    "limit=99999999999999999999",
    "limit=1&limit=2",
  ])("%s is no integer", async (text) =>
    expect(await query(Search, text)).toMatchObject([{ loc: ["query", "limit"], type: "type" }]),
  );

  test.each([
    ["limit=0", { loc: ["query", "limit"], type: "minimum", message: "must be >= 1" }],
    ["all=yes", { loc: ["query", "all"], type: "type", message: "must be boolean" }],
    ["state=lost", { loc: ["query", "state"], type: "enum", message: "must be one of failure, retry" }],
    ["state=", { loc: ["query", "state"], type: "enum", message: "must be one of failure, retry" }],
    ["since=yesterday", { loc: ["query", "since"], type: "format", message: "must be a valid instant" }],
  ])("%s is refused", async (text, fault) => expect(await query(Search, text)).toEqual([fault]));
});

describe("bodies", () => {
  const Body = Type.Object({
    name: Type.String({ minLength: 1, maxLength: 5 }),
    count: Type.Optional(Type.Integer()),
    id: Type.Optional(Uuid),
    nested: Type.Optional(Type.Object({ list: Type.Array(Type.Integer()) })),
    note: Type.Optional(Nullable(Type.String())),
    kind: Type.Optional(Type.Union([Type.Literal("a"), Type.Literal("b")])),
  });

  test("keep unknown keys and are not coerced", async () => {
    expect((await post(Body, { name: "x", more: 1, note: null })).json).toEqual({ name: "x", more: 1, note: null });
    expect((await post(Body, { name: "x", count: "5" })).json.details.errors).toEqual([
      { loc: ["body", "count"], type: "type", message: "must be integer" },
    ]);
  });

  test("report every fault with its place, and never a value", async () => {
    const { status, text, json } = await post(Body, {
      count: "hunter2",
      nested: { list: [1, "hunter2"] },
      id: "hunter2",
      kind: "hunter2",
    });
    expect(status).toBe(422);
    expect(json.details.errors).toEqual(
      expect.arrayContaining([
        { loc: ["body", "name"], type: "missing", message: "is required" },
        expect.objectContaining({ loc: ["body", "count"], type: "type" }),
        expect.objectContaining({ loc: ["body", "nested", "list", 1], type: "type" }),
        expect.objectContaining({ loc: ["body", "id"], type: "format" }),
        expect.objectContaining({ loc: ["body", "kind"], type: "anyOf" }),
      ]),
    );
    expect(json.details.errors).toHaveLength(5);
    expect(text).not.toContain("hunter2");
  });

  test("where unknown keys are refused, the key is named, cut short", async () => {
    const Strict = Type.Object({ a: Type.Optional(Type.Integer()) }, { additionalProperties: false });
    const { json } = await post(Strict, { ["k".repeat(100)]: "hunter2" });
    expect(json.details.errors).toEqual([
      { loc: ["body", "k".repeat(64)], type: "unknown_key", message: "is not a known key" },
    ]);
  });

  test("with thousands of faults name a few", async () => {
    const { json } = await post(Type.Object({ ids: Type.Array(Type.Integer()) }), { ids: Array(3000).fill("x") });
    expect(json.details.errors.length).toBeLessThanOrEqual(10);
  });

  test("that are missing altogether are one fault", async () => {
    const { app } = await startFixture({
      routes: (app) => void app.post("/b", { config, schema: { body: Body } }, () => ({})),
    });
    const response = await app.inject({ method: "POST", url: "/b" });
    expect(response.json().details.errors).toEqual([{ loc: ["body"], type: "type", message: "must be object" }]);
  });
});

describe("instants in requests", () => {
  test.each([
    ["2026-01-02T03:04:05Z", "2026-01-02T03:04:05.000Z"],
    ["2026-01-02T03:04:05.1239+02:00", "2026-01-02T01:04:05.123Z"],
    ["2026-01-02T03:04:05", "2026-01-02T03:04:05.000Z"],
    ["2026-01-02 03:04", "2026-01-02T03:04:00.000Z"],
    ["2026-01-02", "2026-01-02T00:00:00.000Z"],
    ["2024-02-29T00:00:00-0130", "2024-02-29T01:30:00.000Z"],
  ])("%s is %s", (text, instant) => expect(parseInstant(text)?.toISOString()).toBe(instant));

  test.each([
    "",
    "now",
    "2026-02-30",
    "2026-13-01",
    "2026-01-02T25:00",
    "1767322800",
    "2026-01-02T03:04:05+",
    "2025-02-29T10:00Z",
  ])("%s is none", (text) => expect(parseInstant(text)).toBeNull());
});
