import type { ApiClient, TestBrain } from "@svc/testkit/brain";
import { waitFor } from "@svc/testkit/peer";
import { openRawSocket, type RawSocket } from "@svc/testkit/raw-agent";
import { expect } from "vitest";
import { topics } from "../src/features/live/topics.ts";
import { schemaFaults } from "./fixtures/api-schemas.ts";

/** Reads everything a caller can see, for tests that search it for texts that must not appear. */

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: { readonly enum?: readonly string[] };
}

interface Path {
  readonly get?: {
    readonly parameters?: readonly Parameter[];
    readonly responses: Readonly<
      Record<string, { readonly content?: Readonly<Record<string, { readonly schema: object }>> }>
    >;
  };
}

/** Response texts by place. */
export type Places = Map<string, string>;

export async function openHub(brain: TestBrain, cookie: string): Promise<RawSocket> {
  const hub = openRawSocket(`${brain.url}/ws/dashboard`, { cookie, origin: brain.url });
  await hub.opened;
  hub.send(JSON.stringify({ type: "subscribe", project_id: brain.project.id, topics }));
  await waitFor(() => hub.messages[0]?.includes('"ready"'), { that: "ready" });
  return hub;
}

/** Reads every GET route of the API description with existing ids, and every export, and checks each page against its schema. */
export async function readAll(
  caller: ApiClient,
  ids: Readonly<Record<string, string>>,
  nameOfTasks = "mail.send",
): Promise<Places> {
  const { body } = await caller.get("/openapi.json");
  const places: Places = new Map();
  for (const [path, { get }] of Object.entries(body.paths as Record<string, Path>)) {
    // Only a brain started by the command line has an agent file.
    if (get === undefined || path.startsWith("/agent/")) continue;
    const value = (name: string): string => {
      const known = ids[name];
      if (known === undefined) throw new Error(`${path} has the parameter ${name}, which this test does not know`);
      return encodeURIComponent(known);
    };
    const query = (get.parameters ?? [])
      .filter((parameter) => parameter.in === "query" && (parameter.required === true || parameter.name === "limit"))
      .map(({ name }) => `${name}=${value(name)}`);
    const more = path.endsWith("/differences") ? [`name=${encodeURIComponent(nameOfTasks)}`] : [];
    const filled = path.replace("/api/v1", "").replaceAll(/\{(\w+)\}/g, (_, name: string) => value(name));
    const formats = get.parameters?.find(({ name }) => name === "format")?.schema.enum ?? [];
    // A spreadsheet is compressed, and has the same rows as the others.
    for (const format of ["", ...formats.filter((name) => name !== "xlsx")]) {
      const asked = [...query, ...more, ...(format === "" ? [] : [`format=${format}`])];
      const { status, text, body: answer } = await caller.get(`${filled}?${asked.join("&")}`);
      expect([200, 401, 403], `${path} answered ${text}`).toContain(status);
      const schema = get.responses[status]?.content?.["application/json"]?.schema;
      if (format === "" && status === 200) expect(schemaFaults(body, { ...schema }, answer), path).toEqual([]);
      places.set(`${path}${format === "" ? "" : ` as ${format}`}`, text);
    }
  }
  return places;
}

export const found = (places: Places, values: Readonly<Record<string, string | number>>): string[] =>
  Object.entries(values).flatMap(([name, value]) =>
    [...places].flatMap(([place, text]) => (text.includes(String(value)) ? [`${name} in ${place}`] : [])),
  );
