import { expect, test } from "vitest";
import { importGraph, reachedFrom, type SourcePackage } from "./import-graph.ts";

const packages: readonly SourcePackage[] = [
  { name: "@svc/lower", folder: "packages/lower", exports: { ".": "./src/index.ts", "./parts/*": "./src/parts/*.ts" } },
];
const targets = ["packages/lower/src/index.ts", "packages/lower/src/parts/one.ts", "upper/near.ts", "upper/style.css"];

function namedBy(text: string): readonly string[] | undefined {
  return importGraph(["upper/from.ts", ...targets], packages, (file) => (file === "upper/from.ts" ? text : "")).get(
    "upper/from.ts",
  );
}

test.each([
  ['import { near } from "./near.ts";', "upper/near.ts"],
  ['import {\n  near,\n  type Near,\n} from "./near.ts";', "upper/near.ts"],
  ['export * from "../upper/near.ts";', "upper/near.ts"],
  ['import "./near.ts";', "upper/near.ts"],
  ['const near = async () => (await import("./near.ts")).near;', "upper/near.ts"],
  ['const program = new URL("./near.ts", import.meta.url);', "upper/near.ts"],
  ['const program = join(import.meta.dirname, "near.ts");', "upper/near.ts"],
  ['const style = readFileSync(new URL("style.css", import.meta.url), "utf8");', "upper/style.css"],
  ['import { lower } from "@svc/lower";', "packages/lower/src/index.ts"],
  ['import { one } from "@svc/lower/parts/one";', "packages/lower/src/parts/one.ts"],
])("%s names a file", (text, file) => {
  expect(namedBy(text)).toEqual([file]);
});

test.each([
  ['import type { Near } from "./near.ts";'],
  ['import type {\n  Near,\n} from "./near.ts";'],
  ['export type { Near } from "./near.ts";'],
  ['import { readFileSync } from "node:fs";'],
  ['import { other } from "./other.ts";'],
  ["// ./near.ts"],
])("%s names none", (text) => {
  expect(namedBy(text)).toEqual([]);
});

test("imports after a type-only import are read", () => {
  expect(namedBy('import type { Style } from "./style.css";\nimport { near } from "./near.ts";')).toEqual([
    "upper/near.ts",
  ]);
});

test("a file is reached in any number of steps, even in a cycle, and not beyond an end", () => {
  const graph = new Map([
    ["low", ["middle"]],
    ["middle", ["low"]],
    ["end", ["middle"]],
    ["high", ["middle"]],
    ["beyond", ["end"]],
  ]);
  expect([...reachedFrom(graph, ["low"], (file) => file === "end")].sort()).toEqual(["end", "high", "low", "middle"]);
});
