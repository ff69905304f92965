/** An answer of the brain, its body parsed when it is JSON. */
export interface ApiAnswer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look at whatever shape the route answers with
  readonly body: any;
  readonly text: string;
}

/** Calls the REST API as one person would through a browser: session cookie, CSRF header. Paths are below /api/v1 unless they begin with `//`. */
export interface ApiClient {
  readonly cookie: string;
  readonly csrfToken: string;
  get(path: string, headers?: Record<string, string>): Promise<ApiAnswer>;
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<ApiAnswer>;
  put(path: string, body?: unknown, headers?: Record<string, string>): Promise<ApiAnswer>;
  patch(path: string, body?: unknown, headers?: Record<string, string>): Promise<ApiAnswer>;
  delete(path: string, headers?: Record<string, string>): Promise<ApiAnswer>;
}

/** A caller with these credentials of a session. */
export function clientOf(url: string, cookie: string, csrfToken: string): ApiClient {
  async function call(
    method: string,
    path: string,
    body: unknown,
    headers: Record<string, string> = {},
  ): Promise<ApiAnswer> {
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
    get: (path, headers) => call("GET", path, undefined, headers),
    post: (path, body, headers) => call("POST", path, body, headers),
    put: (path, body, headers) => call("PUT", path, body, headers),
    patch: (path, body, headers) => call("PATCH", path, body, headers),
    delete: (path, headers) => call("DELETE", path, undefined, headers),
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
