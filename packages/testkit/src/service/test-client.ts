export type ApiClient = ReturnType<typeof clientOf>;

/** A response of the brain, with its JSON body parsed. */
export type ApiAnswer = Awaited<ReturnType<ApiClient["get"]>>;

/** Calls the REST API like a browser: session cookie, CSRF header. Paths are below /api/v1 unless they start with `//`. */
export function clientOf(url: string, cookie: string, csrfToken: string) {
  async function call(method: string, path: string, body: unknown, headers: Record<string, string> = {}) {
    const target = path.startsWith("//") ? `${url}${path.slice(1)}` : `${url}/api/v1${path}`;
    const response = await fetch(target, {
      method,
      redirect: "manual",
      headers: {
        ...(cookie !== "" && { cookie }),
        ...(csrfToken !== "" && method !== "GET" && { "x-csrf-token": csrfToken }),
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.startsWith("application/json") === true && text !== "";
    return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined };
  }
  return {
    cookie,
    csrfToken,
    get: (path: string, headers?: Record<string, string>) => call("GET", path, undefined, headers),
    post: (path: string, body?: unknown, headers?: Record<string, string>) => call("POST", path, body, headers),
    put: (path: string, body?: unknown, headers?: Record<string, string>) => call("PUT", path, body, headers),
    patch: (path: string, body?: unknown, headers?: Record<string, string>) => call("PATCH", path, body, headers),
    delete: (path: string, headers?: Record<string, string>) => call("DELETE", path, undefined, headers),
  };
}

/** A caller without credentials. */
export const anonymous = (url: string): ApiClient => clientOf(url, "", "");

/** Signs in with a password. @throws when the brain refuses. */
export async function signIn(url: string, email: string, password: string): Promise<ApiClient> {
  const answer = await anonymous(url).post("/auth/login", { email, password });
  if (answer.status !== 200) throw new Error(`signing in as ${email} answered ${answer.status}`);
  const cookies = answer.headers.getSetCookie().map((line) => line.split(";")[0] as string);
  const csrf = cookies.find((pair) => /csrf=/.test(pair))?.split("=")[1] ?? "";
  return clientOf(url, cookies.join("; "), csrf);
}
