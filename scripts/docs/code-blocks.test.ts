import { describe, expect, test } from "vitest";
import { blocksOf, faultsOf, type KnownNames } from "./code-blocks.ts";

const names: KnownNames = {
  commands: new Map([
    ["serve", new Set(["--port"])],
    ["tasks list", new Set(["--state", "--json"])],
    ["agent", new Set(["--redis", "--brain"])],
  ]),
  settings: new Set(["SVC_TOKEN"]),
  scripts: new Set(["bench"]),
  routes: ["GET /projects/{slug}/tasks", "POST /auth/login"],
};
const check = (language: string, code: string) =>
  faultsOf({ language, line: 10, lines: code.split("\n") }, names).map(({ line, fault }) => `${line}: ${fault}`);

test("blocks have a language, a first line and no indentation", () => {
  const text = ["# A", "```sh", "a", "b", "```", "1. x", "   ```json", "   {}", "   ```", "```", "plain", "```"].join(
    "\n",
  );
  expect(blocksOf(text)).toMatchObject([
    { language: "sh", line: 3, lines: ["a", "b"] },
    { language: "json", line: 8, lines: ["{}"] },
    { language: "", line: 11, lines: ["plain"] },
  ]);
});

describe("shell blocks", () => {
  test.each([
    "svc serve --port 7700",
    "npx svc tasks list --state failure --json | jq .",
    "export SVC_TOKEN=x && svc agent bullmq --redis redis://localhost:6379",
    "node svc-agent.mjs bullmq --brain http://localhost:7700",
    "docker run -e SVC_TOKEN svc agent bullmq",
    "npm ci && npm run bench -- --quick",
    "curl -s $svc/projects/default/tasks?limit=1",
    "curl -X POST http://localhost:7700/api/v1/auth/login",
    "curl -d '{}' \"$svc/auth/login\"",
    "cat <<'EOF'\nSVC_UNKNOWN=1\nEOF",
    "# svc nothing",
  ])("accept %j", (code) => {
    expect(check("sh", code)).toEqual([]);
  });

  test.each([
    ["svc start", "10: svc start does not exist"],
    ["svc serve --prot 1", "10: svc serve has no option --prot"],
    ["true\nsvc tasks list \\\n  --stat x", "11: svc tasks list has no option --stat"],
    ["SVC_TOKN=x svc serve", "10: setting SVC_TOKN does not exist"],
    ["docker run -e SVC_TOKN svc", "10: setting SVC_TOKN does not exist"],
    ["npm run nothing", "10: npm script nothing does not exist"],
    ["curl $svc/projects/default/task", "10: route GET /projects/default/task does not exist"],
    ["curl -X DELETE http://h/api/v1/auth/login", "10: route DELETE /auth/login does not exist"],
    ["node svc-agent.mjs bullmq --rediss x", "10: svc agent has no option --rediss"],
  ])("refuse %j", (code, fault) => {
    expect(check("sh", code)).toEqual([fault]);
  });
});

test("JSON must parse and code must have no syntax errors", () => {
  expect(check("json", '{"a":1}')).toEqual([]);
  expect(check("json", "{a:1}")).toHaveLength(1);
  expect(check("ts", "const a: number = 1;")).toEqual([]);
  expect(check("ts", "const a: = 1;")).toHaveLength(1);
  expect(check("mjs", "import a from 'a'; await a();")).toEqual([]);
});
