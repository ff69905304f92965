import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import { freePort } from "@svc/testkit";
import { startTestBrain, type TestBrain } from "@svc/testkit/brain";
import { waitFor } from "@svc/testkit/peer";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { svc } from "./in-process.ts";

let brain: TestBrain;
let key: string;

beforeAll(async () => {
  brain = await startTestBrain();
  key = await mintKey(["tasks:read", "projects:read"]);
  const { adapter } = await brain.connectAgent();
  adapter.emitTasks(3, { task_name: "mail.send", args: [1, "two"] });
  adapter.emitTasks(1, { task_name: "evil\u001b]0;title\u0007", queue: "other" });
  await waitFor(async () => (await brain.as.viewer.get("/projects/shop/tasks")).body.items.length === 4);
});
afterAll(() => brain?.stop());

async function mintKey(scopes: readonly string[]): Promise<string> {
  const { status, body } = await brain.as.operator.post("/api-keys", { name: "cli", scopes });
  expect(status).toBe(201);
  return body.token;
}

const ask = (args: readonly string[], env: Record<string, string> = {}) =>
  svc(args, { SVC_BRAIN_URL: brain.url, SVC_API_KEY: key, ...env });

/** The address of another kind of server. */
async function otherServer(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
}

describe("svc tasks list", () => {
  test("prints the newest tasks of the only project in columns", async () => {
    const { code, out, err } = await ask(["tasks", "list"]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    const [head, ...rows] = out.trimEnd().split("\n");
    expect(head).toMatch(/^STATE +ENGINE +TASK ID +NAME +QUEUE +ATTEMPT +RECEIVED +EXCEPTION$/);
    expect(rows.map((row) => row.split(/ +/).slice(0, 3).join(" ")).sort()).toEqual(
      [0, 1, 2, 3].map((index) => `pending scripted task-${index}`),
    );
  });

  test("escapes control characters", async () => {
    const { out } = await ask(["tasks", "list", "--queue", "other"]);
    expect(out).toContain("evil\\u001b]0;title\\u0007");
    expect(out).not.toContain("\u001b");
  });

  test("prints one JSON document, and a cursor to continue", async () => {
    const first = await ask(["tasks", "list", "--limit", "3", "--json"]);
    const page = JSON.parse(first.out);
    expect(page.items).toHaveLength(3);
    const rest = await ask(["tasks", "list", "--cursor", page.next_cursor, "--json"]);
    const { items, next_cursor } = JSON.parse(rest.out);
    expect([...page.items, ...items].map(({ task_id }) => task_id).sort()).toEqual(
      [0, 1, 2, 3].map((index) => `task-${index}`),
    );
    expect(next_cursor).toBeNull();
    const cut = await ask(["tasks", "list", "--limit", "1"]);
    expect(cut.err).toMatch(/^svc: more results: add --cursor \S+$/m);
  });

  test.each([
    [["--state", "pending", "--name", "mail"], 3],
    [["--query", "id:task-1"], 1],
    [["--since", "1h", "--priority", "normal,high"], 4],
    [["--until", "2020-01-01"], 0],
    [["--search", "task-2", "--queue", "default"], 1],
  ])("accepts the filters %j", async (words, count) => {
    const { code, out } = await ask(["tasks", "list", "--json", ...words]);
    expect(code).toBe(0);
    expect(JSON.parse(out).items).toHaveLength(count);
  });

  test.each([
    [["--state", "done"], "--state must be one of pending, "],
    [["--limit", "0"], "--limit must be a whole number from 1 to 100000"],
    [["--since", "yesterday"], "--since must be a time"],
    [["--priority", "high,urgent"], "--priority must be one of critical"],
  ])("exits with 2 for %j", async (words, message) => {
    const { code, out, err } = await ask(["tasks", "list", ...words]);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain(`svc: ${message}`);
  });

  test("suggests a path in the arguments for an unknown field", async () => {
    const refused = await ask(["tasks", "list", "--query", "queue:other customer:42"]);
    expect(refused.code).toBe(6);
    expect(refused.err).toContain("did you mean --query: queue:other args.customer:42\n");
    const empty = await ask(["tasks", "list", "--search", "customer=42"]);
    expect(empty.code).toBe(0);
    expect(empty.err).toBe("svc: no tasks found\n     did you mean --query: args.customer:42\n");
  });

  test("prints the service's message for an invalid query", async () => {
    const { code, err } = await ask(["tasks", "list", "--query", "runtime:>soon"]);
    expect(code).toBe(6);
    expect(err).toMatch(/^svc: the request is not valid\n {5}q .+/);
  });
});

describe("svc tasks show", () => {
  test("prints a task, and with --json exactly the response of the service", async () => {
    const { code, out } = await ask(["tasks", "show", "scripted", "task-0"]);
    expect(code).toBe(0);
    expect(out).toMatch(/^task_id +task-0$/m);
    expect(out).toMatch(/^args +\[1,"two"\]$/m);
    expect(out).not.toMatch(/^project_id|null/m);
    const asJson = await ask(["tasks", "show", "scripted", "task-0", "--json"]);
    expect(JSON.parse(asJson.out)).toEqual((await brain.as.viewer.get("/projects/shop/tasks/scripted/task-0")).body);
  });

  test("exits with 5 for a missing task", async () => {
    const { code, out, err } = await ask(["tasks", "show", "scripted", "none"]);
    expect({ code, out }).toEqual({ code: 5, out: "" });
    expect(err).toContain("svc: task none of scripted in project shop not found");
  });

  test.each([[["scripted"]], [[]], [["scripted", "a", "b"]]])("exits with 2 for %j", async (words) => {
    expect((await ask(["tasks", "show", ...words])).code).toBe(2);
  });
});

describe("the project", () => {
  test("that is missing exits with 5", async () => {
    const { code, err } = await ask(["tasks", "list", "--project", "nowhere"]);
    expect(code).toBe(5);
    expect(err).toContain("svc: project nowhere not found. It may have been deleted, or you may not have access");
  });

  test("is required when there are several, and when the key cannot list them", async () => {
    await brain.addProject("depot", "Depot");
    const { code, err } = await ask(["tasks", "list"]);
    expect(code).toBe(2);
    expect(err).toMatch(/^svc: missing --project SLUG, one of (depot, shop|shop, depot)$/m);
    expect((await ask(["tasks", "list"], { SVC_PROJECT_ID: "shop" })).code).toBe(0);

    const blind = { SVC_API_KEY: await mintKey(["tasks:read"]) };
    expect(await ask(["tasks", "list"], blind)).toMatchObject({
      code: 2,
      err: expect.stringContaining("--project SLUG"),
    });
    expect((await ask(["tasks", "list", "--project", "shop"], blind)).code).toBe(0);
  });
});

describe("the API key", () => {
  test("that is refused exits with 6 and is not printed", async () => {
    const planted = `svk_${"x".repeat(43)}`;
    const { code, out, err } = await ask(["tasks", "list", "--project", "shop"], { SVC_API_KEY: planted });
    expect(code).toBe(6);
    expect(err).toContain("the API key in SVC_API_KEY is unknown, revoked or expired");
    expect(out + err).not.toContain("xxx");
  });

  test("without the scope exits with 6 and names the scope", async () => {
    const { code, err } = await ask(["commands", "list", "--project", "shop"]);
    expect(code).toBe(6);
    expect(err).toMatch(/^svc: the API key lacks the scope for this route\n {5}required: commands:read$/m);
  });

  test("with the documented scopes lists tasks and commands", async () => {
    const docs = await readFile(new URL("../../../docs/guides/from-a-shell.md", import.meta.url), "utf8");
    const [sentence = ""] = /^A key needs [^.]+[.]/m.exec(docs) ?? [];
    const scopes = [...sentence.matchAll(/`(\w+:\w+)`/g)].map(([, scope = ""]) => scope);
    const env = { SVC_API_KEY: await mintKey(scopes), SVC_PROJECT_ID: "shop" };
    for (const what of ["tasks", "commands"]) expect(await ask([what, "list"], env)).toMatchObject({ code: 0 });
  });

  test("that is invalid exits with 3 and is not printed", async () => {
    const { code, err } = await ask(["tasks", "list"], { SVC_API_KEY: "planted\nkey" });
    expect(code).toBe(3);
    expect(err).not.toContain("planted");
  });

  test("is required without a session", async () => {
    const { code, err } = await svc(["tasks", "list", "--brain", brain.url]);
    expect({ code, err }).toEqual({ code: 6, err: "svc: not signed in. Run svc login or set SVC_API_KEY\n" });
  });

  test("is not accepted for a bulk retry", async () => {
    const { code, err } = await ask(["bulk-retry", "create", "--all"]);
    expect({ code, err }).toEqual({ code: 6, err: "svc: not signed in. Run svc login\n" });
  });
});

describe("a service", () => {
  test("that is unreachable exits with 4 and the reason", async () => {
    const address = `http://127.0.0.1:${await freePort()}`;
    const { code, err } = await ask(["tasks", "list", "--project", "shop", "--brain", address]);
    expect({ code, err }).toEqual({ code: 4, err: `svc: can't reach ${address}: connection refused\n` });
  });

  test("that is another server exits with 4", async () => {
    const address = await otherServer((_request, response) => response.end("<html>welcome</html>"));
    const { code, err } = await ask(["tasks", "list", "--project", "shop", "--brain", address]);
    expect(code).toBe(4);
    expect(err).toContain(`${address} doesn't look like an svc server, or a proxy is in the way`);
  });

  test("that redirects is reported, and the target gets no request", async () => {
    const received: (string | undefined)[] = [];
    const target = await otherServer((request, response) => {
      received.push(request.headers.authorization);
      response.end("{}");
    });
    const address = await otherServer((_request, response) => {
      response.writeHead(302, { location: `${target}/api/v1/projects` }).end();
    });
    const { code, err } = await ask(["tasks", "list", "--brain", address]);
    expect(code).toBe(4);
    expect(err).toContain(`the address redirects (302). Try --brain ${target}`);
    expect(received).toEqual([]);
  });

  test("that would expose the key to the network requires --plain-http", async () => {
    const plain = await ask(["tasks", "list"], { SVC_BRAIN_URL: "http://svc.example.org" });
    expect(plain.code).toBe(3);
    expect(plain.err).toContain("http://svc.example.org is not encrypted");
  });

  test.each([
    ["svc.example.org", "must be a URL"],
    ["ftp://svc.example.org", "must be a URL"],
    ["https://bob:planted@svc.example.org", "must not contain credentials"],
  ])("at %s exits with 3", async (address, message) => {
    const { code, err } = await ask(["tasks", "list", "--brain", address]);
    expect(code).toBe(3);
    expect(err).toContain(message);
    expect(err).not.toContain("planted");
  });
});
