import { describe, expect, test } from "vitest";
import { createClient } from "./client.ts";
import { ApiProblem } from "./problem.ts";
import { csrfToken, type Outcome } from "./request.ts";

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
  test("encodes path parts and leaves empty query values out", async () => {
    const { fetch, seen } = answering(() => json({ items: [], next_cursor: null }));
    const api = createClient({ fetch, readCookies: () => "" });

    await api.getTask("acme", "bullmq", "a/b c");
    await api.listTasks("acme", { queue: "emails", search: "", limit: 200 });

    expect(seen.map((one) => one.url)).toEqual([
      "/api/v1/projects/acme/tasks/bullmq/a%2Fb%20c",
      "/api/v1/projects/acme/tasks?queue=emails&limit=200",
    ]);
  });

  test("carries the CSRF token on a mutation and not on a read", async () => {
    const { fetch, seen } = answering(() => json({}));
    const api = createClient({ fetch, readCookies: () => "svc_csrf=t0ken" });

    await api.mintAgent("acme", { name: "mailer" });
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
  test("becomes a problem with the envelope's facts", async () => {
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

  test("of something that is not the API says so", async () => {
    const { fetch } = answering(() => new Response("<h1>Bad gateway</h1>", { status: 502 }));
    await expect(createClient({ fetch }).getMe()).rejects.toMatchObject({ code: "unreadable", status: 502 });
  });

  test("without any answer is unreachable, and is reported", async () => {
    const outcomes: Outcome[] = [];
    const { fetch } = answering(() => Promise.reject(new TypeError("failed to fetch")));
    const api = createClient({ fetch, onOutcome: (outcome) => outcomes.push(outcome) });

    await expect(api.getMe()).rejects.toMatchObject({ code: "unreachable", status: 0 });
    expect(outcomes).toEqual([{ reach: "unreachable", status: 0, code: "unreachable" }]);
  });

  test("cannot be had for an id that every URL folds away", async () => {
    const { fetch } = answering(() => new Response(null, { status: 204 }));
    const read = async () => createClient({ fetch }).getTask("acme", "bullmq", "..");
    await expect(read()).rejects.toMatchObject({ code: "unaddressable", status: 0 });
  });

  test("an answer without a body is no problem", async () => {
    const { fetch } = answering(() => new Response(null, { status: 204 }));
    await expect(createClient({ fetch }).logout()).resolves.toBeUndefined();
  });
});

describe("csrfToken", () => {
  test("prefers the cookie that only a secure origin can set", () => {
    expect(csrfToken("svc_csrf=planted; __Host-svc_csrf=real")).toBe("real");
    expect(csrfToken("other=1; svc_csrf=plain")).toBe("plain");
    expect(csrfToken("")).toBeNull();
  });
});
