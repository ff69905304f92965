import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { completeLock, type LockFile } from "./complete-lock.ts";

const tool = (optionalDependencies: Record<string, string>) => ({ version: "1.0.0", dev: true, optionalDependencies });

test("adds an entry for a platform that the lock file lists only as an optional dependency", () => {
  const lock: LockFile = {
    packages: { "node_modules/tool": tool({ "@tool/linux-x64-musl": "1.0.0", "@tool/linux-x64-gnu": "1.0.0" }) },
  };
  lock.packages["node_modules/@tool/linux-x64-gnu"] = { version: "1.0.0" };

  expect(completeLock(lock)).toEqual(["@tool/linux-x64-musl"]);
  expect(lock.packages["node_modules/@tool/linux-x64-musl"]).toEqual({
    version: "1.0.0",
    os: ["linux"],
    cpu: ["x64"],
    libc: ["musl"],
    dev: true,
    optional: true,
  });
});

test("finds an entry below its dependent and adds nothing twice", () => {
  const lock: LockFile = {
    packages: {
      "packages/agent": {},
      "packages/agent/node_modules/tool": tool({ "tool-darwin-arm64": "2.0.0" }),
      "packages/agent/node_modules/tool/node_modules/tool-darwin-arm64": { version: "2.0.0" },
    },
  };
  expect(completeLock(lock)).toEqual([]);
});

test("ignores dependencies that are not for a single platform or not pinned", () => {
  const lock: LockFile = {
    packages: {
      "node_modules/tool": tool({ extras: "1.0.0", "tool-wasm32-wasi": "1.0.0", "tool-linux-x64": "^1.0.0" }),
    },
  };
  expect(completeLock(lock)).toEqual([]);
});

test("the lock file of this repository installs on every platform", () => {
  const lock = JSON.parse(readFileSync(new URL("../package-lock.json", import.meta.url), "utf8")) as LockFile;
  expect(completeLock(lock)).toEqual([]);
});
