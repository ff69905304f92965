import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type Client, createClient } from "./client.ts";

interface Operation {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  readonly takesBody: boolean;
  readonly query: readonly string[];
}

const operations = readOperations();
const operationOf = new Map(operations.map((operation) => [operation.operationId, operation]));

function readOperations(): readonly Operation[] {
  const text = readFileSync(new URL("../openapi.json", import.meta.url), "utf8");
  type Printed = { operationId: string; requestBody?: unknown; parameters?: readonly { name: string; in: string }[] };
  const { paths } = JSON.parse(text) as { paths: Record<string, Record<string, Printed>> };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, requestBody, parameters = [] }]) => ({
      operationId,
      method: method.toUpperCase(),
      path,
      takesBody: requestBody !== undefined,
      query: parameters.flatMap((each) => (each.in === "query" ? [each.name] : [])),
    })),
  );
}

/** Calls of an operation with another name. */
const otherUses: Partial<Record<keyof Client, string>> = {
  exportTasks: "listTasks",
  exportAudit: "listAudit",
  deleteMatchingTasks: "deleteTasks",
};

/** A client whose server responds with `{}`, and its last request. */
function recording() {
  const request: { method?: string; url?: string; body?: unknown } = {};
  const fetch = (async (url: string, init: RequestInit) => {
    Object.assign(request, { method: init.method, url, body: init.body });
    return new Response("{}");
  }) as typeof globalThis.fetch;
  return { request, api: createClient({ fetch, bearer: "svk_test" }) as unknown as Record<string, Call> };
}
type Call = (...given: unknown[]) => Promise<unknown>;

const calls = Object.keys(recording().api) as (keyof Client)[];

test.each(calls)("%s is an operation of the API document", async (name) => {
  const operation = operationOf.get(otherUses[name] ?? name);
  if (operation === undefined) throw new Error(`no operation is called ${name}`);
  const { method, path, query, takesBody } = operation;
  const { request, api } = recording();
  const parts = [...path.matchAll(/\{\w+\}/g)].map((_, index) => `part ${index}`);
  const given = takesBody ? { some: "body" } : Object.fromEntries(query.map((parameter) => [parameter, "x"]));
  const takesArgument = takesBody || query.length > 0;
  await api[name]?.(...parts, ...(takesArgument ? [given] : []));

  let index = 0;
  const filled = path.replaceAll(/\{\w+\}/g, () => encodeURIComponent(`part ${index++}`));
  const url = new URL(request.url ?? "", "http://localhost");
  expect([request.method, url.pathname]).toEqual([method, filled]);
  expect([...url.searchParams.keys()].sort()).toEqual(takesBody ? [] : [...query].sort());
  if (takesBody) expect(request.body).toContain(JSON.stringify(given));
  else expect(request.body).toBeNull();
});
