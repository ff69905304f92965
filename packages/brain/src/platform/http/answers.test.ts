import { type TSchema, Type } from "typebox";
import { describe, expect, test } from "vitest";
import { type App, plainSerializer } from "./app.ts";
import { startFixture } from "./http-fixture.ts";
import { Instant, JsonObject, Nullable, OneOf } from "./schemas.ts";

const config = { tag: "setup", public: true } as const;

async function answer(schema: TSchema, value: unknown, more: object = {}) {
  const routes = (app: App) =>
    void app.get("/a", { config, schema: { response: { 200: schema } }, ...more }, () => value as never);
  const { app } = await startFixture({ routes });
  const response = await app.inject({ url: "/a" });
  expect(response.headers["content-type"]).toBe("application/json; charset=utf-8");
  return { status: response.statusCode, text: response.body };
}

describe("answers", () => {
  test("print instants as milliseconds in UTC, also where they may be null or are in lists", async () => {
    const at = new Date("2026-01-02T03:04:05Z");
    const schema = Type.Object({
      at: Instant,
      maybe: Nullable(Instant),
      never: Nullable(Instant),
      all: Type.Array(Nullable(Instant)),
    });
    expect((await answer(schema, { at, maybe: at, never: null, all: [at, null] })).text).toBe(
      '{"at":"2026-01-02T03:04:05.000Z","maybe":"2026-01-02T03:04:05.000Z","never":null,"all":["2026-01-02T03:04:05.000Z",null]}',
    );
    const ready = "2026-01-02T03:04:05.123Z";
    expect((await answer(schema, { at: ready, maybe: ready, never: null, all: [] })).text).toContain(ready);
  });

  test("hold only what their schema names", async () => {
    const schema = Type.Object({ items: Type.Array(Type.Object({ id: Type.String() })) });
    expect((await answer(schema, { items: [{ id: "a", token_hash: "hunter2" }], more: 1 })).text).toBe(
      '{"items":[{"id":"a"}]}',
    );
  });

  test("keep numbers that no double holds, free objects and closed lists", async () => {
    const raw = (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON("12345678901234567890");
    const schema = Type.Object({ args: Type.Unknown(), data: JsonObject, state: Nullable(OneOf(["a", "b"])) });
    const value = { args: [raw, { deep: raw }], data: { n: raw, x: [1.5, null] }, state: "b" };
    const text =
      '{"args":[12345678901234567890,{"deep":12345678901234567890}],"data":{"n":12345678901234567890,"x":[1.5,null]},"state":"b"}';
    expect((await answer(schema, value)).text).toBe(text);
    expect((await answer(schema, value, { serializerCompiler: plainSerializer })).text).toBe(text);
  });

  test("without a value that their schema demands are our bug, in the envelope", async () => {
    const { status, text } = await answer(Type.Object({ id: Type.String() }), {});
    expect(status).toBe(500);
    expect(JSON.parse(text).error).toBe("internal_error");
  });
});
