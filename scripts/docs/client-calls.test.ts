import { readFileSync } from "node:fs";
import { createClient } from "@svc/client";
import { expect, test } from "vitest";
import { withoutCall } from "./client-calls.ts";
import type { ApiDocument } from "./client-types.ts";

const openApi = new URL("../../packages/client/openapi.json", import.meta.url);

test("every operation has a call, or a reason for having none", () => {
  const { paths }: ApiDocument = JSON.parse(readFileSync(openApi, "utf8"));
  const names = Object.values(paths).flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId));
  const calls = createClient({});
  expect(names.filter((name) => !(name in calls)).sort()).toEqual(Object.keys(withoutCall).sort());
});
