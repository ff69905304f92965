import { describe, expect, test } from "vitest";
import { createClient } from "./client.ts";
import { ApiProblem } from "./problem.ts";
import { createReadFile, csrfToken, type Outcome } from "./request.ts";

interface Seen {
  url: string;
  init: RequestInit;
}

function answering(response: () => Response | Promise<Response>) {
  const seen: Seen[] = [];
  const fetch = (async (url: string, init: RequestInit) => {
    seen.push({ url, init });
    return response();
  }) as unknown as typeof globalThis.fetch;
  return { fetch, seen };
}

const json = (body: unknown, init?: ResponseInit) => new Response(JSON.stringify(body), init);

describe("a call", () => {
  test("encodes path parts and omits empty query values", async () => {
    const { fetch, seen } = answering(() => json({ items: [], next_cursor: null }));
    const api = createClient({ fetch, readCookies: () => "" });

    await api.getTask("acme", "bullmq", "a/b c");
    await api.listTasks("acme", { queue: "emails", search: "", limit: 200 });

    expect(seen.map((one) => one.url)).toEqual([
      "/api/v1/projects/acme/tasks/bullmq/a%2Fb%20c",
      "/api/v1/projects/acme/tasks?queue=emails&limit=200",
    ]);
  });

  test("repeats a query value for each member of a list", async () => {
    const { fetch, seen } = answering(() => json({ circuit_breaker_threshold: 5, items: [] }));
    const api = createClient({ fetch, readCookies: () => "" });
    await api.listScheduleRuns("acme", { id: ["a", "b"], limit: 20 });
    expect(seen.map((one) => one.url)).toEqual(["/api/v1/projects/acme/schedules/runs?id=a&id=b&limit=20"]);
  });

  test("sends the CSRF token with a mutation but not with a read", async () => {
    const { fetch, seen } = answering(() => json({}));
    const api = createClient({ fetch, readCookies: () => "svc_csrf=t0ken" });

    await api.createAgent("acme", { name: "mailer" });
    await api.getMe();

    const tokens = seen.map((one) => new Headers(one.init.headers).get("x-csrf-token"));
    expect(tokens).toEqual(["t0ken", null]);
  });

  test("marks a read made by a timer", async () => {
    const { fetch, seen } = answering(() => json({ items: [] }));
    await createClient({ fetch }).listAgents("acme", { background: true });
    expect(new Headers(seen[0]?.init.headers).get("x-svc-background")).toBe("1");
  });

  test("with an API key sends no cookie and no CSRF token", async () => {
    const { fetch, seen } = answering(() => json({}));
    const api = createClient({ fetch, bearer: "svk_1", baseUrl: "http://brain", readCookies: () => "svc_csrf=t0ken" });

    await api.createProject({ slug: "acme", name: "Acme" });

    const headers = new Headers(seen[0]?.init.headers);
    expect(seen[0]?.url).toBe("http://brain/api/v1/projects");
    expect(headers.get("authorization")).toBe("Bearer svk_1");
    expect(headers.get("x-csrf-token")).toBeNull();
    expect(seen[0]?.init.credentials).toBe("omit");
  });
});

describe("a refusal", () => {
  test("becomes a problem with the envelope's fields", async () => {
    const body = {
      error: "rate_limited",
      message: "too many",
      details: { bucket: "bulk" },
      request_id: "req-12345678",
    };
    const { fetch } = answering(() => json(body, { status: 429, headers: { "retry-after": "17" } }));

    const problem = await createClient({ fetch })
      .getMe()
      .catch((error: unknown) => error);

    expect(problem).toBeInstanceOf(ApiProblem);
    expect(problem).toMatchObject({
      code: "rate_limited",
      status: 429,
      details: { bucket: "bulk" },
      requestId: "req-12345678",
      retryAfterSeconds: 17,
    });
  });

  test("from another server is unreadable", async () => {
    const { fetch } = answering(() => new Response("<h1>Bad gateway</h1>", { status: 502 }));
    await expect(createClient({ fetch }).getMe()).rejects.toMatchObject({ code: "unreadable", status: 502 });
  });

  test("without a response is unreachable, and is reported", async () => {
    const outcomes: Outcome[] = [];
    const { fetch } = answering(() => Promise.reject(new TypeError("failed to fetch")));
    const api = createClient({ fetch, onOutcome: (outcome) => outcomes.push(outcome) });

    await expect(api.getMe()).rejects.toMatchObject({ code: "unreachable", status: 0 });
    expect(outcomes).toEqual([{ reach: "unreachable", status: 0, code: "unreachable", serverTimeMs: null }]);
  });

  test("is unaddressable for an id that URL parsers remove", async () => {
    const { fetch } = answering(() => new Response(null, { status: 204 }));
    const read = async () => createClient({ fetch }).getTask("acme", "bullmq", "..");
    await expect(read()).rejects.toMatchObject({ code: "unaddressable", status: 0 });
  });

  test("a response without a body is not a problem", async () => {
    const { fetch } = answering(() => new Response(null, { status: 204 }));
    await expect(createClient({ fetch }).logout()).resolves.toBeUndefined();
  });
});

describe("a call that lacks a second factor", () => {
  const refused = (error: string) => json({ error, message: "no", details: {}, request_id: "r" }, { status: 403 });

  test("is repeated with the new CSRF token after the gate is passed", async () => {
    let isVerified = false;
    const { fetch, seen } = answering(() => (isVerified ? json({ ok: true }) : refused("mfa_reverify_required")));
    const gateCalls: unknown[] = [];
    const api = createClient({
      fetch,
      readCookies: () => `svc_csrf=${isVerified ? "after" : "before"}`,
      async passGate(problem, method) {
        gateCalls.push([problem.code, method]);
        isVerified = true;
        return true;
      },
    });
    await api.createAgent("acme", { name: "mailer" });

    expect(gateCalls).toEqual([["mfa_reverify_required", "POST"]]);
    expect(seen.map(({ url, init }) => [url, init.method, init.body])).toEqual(
      Array(2).fill(["/api/v1/projects/acme/agents", "POST", '{"name":"mailer"}']),
    );
    expect(seen.map(({ init }) => new Headers(init.headers).get("x-csrf-token"))).toEqual(["before", "after"]);
  });

  test.each(["mfa_reverify_required", "mfa_enrollment_required"])(
    "stays refused with %s when the gate is not passed",
    async (code) => {
      const { fetch, seen } = answering(() => refused(code));
      const call = createClient({ fetch, passGate: async () => false }).getMe();
      await expect(call).rejects.toMatchObject({ code, status: 403 });
      expect(seen).toHaveLength(1);
    },
  );

  test("is repeated only once, and other refusals do not call the gate", async () => {
    let gateCalls = 0;
    const passGate = async () => {
      gateCalls += 1;
      return true;
    };
    const again = answering(() => refused("mfa_reverify_required"));
    await expect(createClient({ fetch: again.fetch, passGate }).getMe()).rejects.toMatchObject({ status: 403 });
    expect([gateCalls, again.seen.length]).toEqual([1, 2]);
    const other = answering(() => refused("forbidden"));
    await expect(createClient({ fetch: other.fetch, passGate }).getMe()).rejects.toMatchObject({ code: "forbidden" });
    expect([gateCalls, other.seen.length]).toEqual([1, 1]);
  });
});

describe("csrfToken", () => {
  test("prefers the cookie that only a secure origin can set", () => {
    expect(csrfToken("svc_csrf=planted; __Host-svc_csrf=real")).toBe("real");
    expect(csrfToken("other=1; svc_csrf=plain")).toBe("plain");
    expect(csrfToken("")).toBeNull();
  });
});

test("an outcome contains the server's clock", async () => {
  const outcomes: Outcome[] = [];
  const date = "Fri, 20 Nov 2026 12:00:07 GMT";
  const { fetch } = answering(() => json({}, { headers: { date } }));
  await createClient({ fetch, onOutcome: (outcome) => outcomes.push(outcome) }).getMe();
  expect(outcomes).toEqual([
    { reach: "answered", status: 200, code: null, serverTimeMs: Date.UTC(2026, 10, 20, 12, 0, 7) },
  ]);
});

describe("a file", () => {
  const chunks = (texts: readonly string[], end?: Error) =>
    new ReadableStream<Uint8Array>({
      pull(controller) {
        const [text, ...rest] = texts;
        texts = rest;
        if (text !== undefined) controller.enqueue(new TextEncoder().encode(text));
        else if (end) controller.error(end);
        else controller.close();
      },
    });

  test("has the name from the server, and reports its progress", async () => {
    const headers = { "content-type": "text/csv", "content-disposition": 'attachment; filename="tasks.csv"' };
    const { fetch, seen } = answering(() => new Response(chunks(["a,b\n", "ä,2\n"]), { headers }));
    const progress: number[] = [];
    const file = await createReadFile({ fetch })("/export", {
      query: { format: "csv" },
      onBytes: (n) => progress.push(n),
    });

    expect(seen[0]?.url).toBe("/api/v1/export?format=csv");
    expect(file.fileName).toBe("tasks.csv");
    expect(file.content.type).toBe("text/csv");
    expect(await file.content.text()).toBe("a,b\nä,2\n");
    expect(progress).toEqual([4, 9]);
  });

  test("may have no name", async () => {
    const { fetch } = answering(() => new Response(chunks(["x"])));
    expect((await createReadFile({ fetch })("/export")).fileName).toBeNull();
  });

  test("that is cut off is an unreachable problem", async () => {
    const outcomes: Outcome[] = [];
    const { fetch } = answering(() => new Response(chunks(["half"], new TypeError("network error"))));
    const read = createReadFile({ fetch, onOutcome: (outcome) => outcomes.push(outcome) })("/export");
    await expect(read).rejects.toMatchObject({ code: "unreachable", status: 0 });
    expect(outcomes).toMatchObject([{ reach: "unreachable" }]);
  });

  test("that is refused is a problem", async () => {
    const { fetch } = answering(() => json({ error: "forbidden", message: "no" }, { status: 403 }));
    await expect(createReadFile({ fetch })("/export")).rejects.toMatchObject({ code: "forbidden", status: 403 });
  });
});

describe("a health check that failed", () => {
  const deep = (body: unknown) =>
    createClient({ fetch: answering(() => json(body, { status: 503 })).fetch, readCookies: () => "" });

  test("is a normal response", async () => {
    const failed = { status: "failed", checks: { database: { status: "failed", detail: "Error" } } };
    expect(await deep(failed).getDeepHealth()).toEqual(failed);
  });

  test("is a problem when the body has no checks", async () => {
    const envelope = { error: "unready", message: "the service is not ready", details: {} };
    await expect(deep(envelope).getDeepHealth()).rejects.toMatchObject({ code: "unready", status: 503 });
    await expect(deep("checks").getDeepHealth()).rejects.toMatchObject({ code: "unreadable", status: 503 });
  });
});
