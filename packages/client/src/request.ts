import { parseExact } from "./exact-json.ts";
import { ApiProblem, problemOf } from "./problem.ts";

export interface RequestOptions {
  /** Origin before `/api/v1`. Default: empty, the page's own. */
  baseUrl?: string;
  /** API key, used instead of cookie and CSRF token. */
  bearer?: string;
  fetch?: typeof globalThis.fetch;
  /** Returns the cookies with the CSRF token. Called before each mutation. Default: `document.cookie`. */
  readCookies?: () => string;
  /** Default of `background` for reads. */
  isBackground?: () => boolean;
  /** Called when a call requires a second factor or a recent proof of identity. Resolves to true when the call can be repeated. */
  passGate?: (problem: ApiProblem, method: string) => Promise<boolean>;
  /** Called after each call, so that a page can show whether the server is reachable. */
  onOutcome?: (outcome: Outcome) => void;
}

export type Reachability = "answered" | "unreachable";
export interface Outcome {
  reach: Reachability;
  status: number;
  code: string | null;
  /** The server's clock in epoch milliseconds, with a precision of one second. Null when the response has none. */
  serverTimeMs: number | null;
}

export interface CallOptions {
  signal?: AbortSignal;
  /** A read by a timer, which does not keep an idle session alive. */
  background?: boolean;
}

export type QueryValue = string | number | boolean | null | undefined | readonly string[];
export interface Call extends CallOptions {
  query?: object;
  body?: unknown;
  /** An error status that is a valid response when its body has this member. */
  acceptedError?: { status: number; member: string };
}
export type Send = <Result>(
  method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE",
  path: string,
  call?: Call,
) => Promise<Result>;

/** A downloaded file. */
export interface Download {
  /** The name from the server. Null without one. */
  fileName: string | null;
  content: Blob;
}

export interface DownloadCall extends Call {
  /** Called with the number of bytes received so far. */
  onBytes?: (bytes: number) => void;
}

export type ReadFile = (path: string, call?: DownloadCall) => Promise<Download>;

/** `path` is relative to `/api/v1` and already encoded by `pathOf`. */
export function createSend(options: RequestOptions): Send {
  const request = createRequest(options);
  return async <Result>(method: string, path: string, call: Call = {}) => {
    const { response, body } = await request(method, path, { ...call, read: (response) => response.text() });
    return parseBody<Result>(response, body);
  };
}

/** Downloads files in chunks, so that a page can show progress and abort. */
export function createReadFile(options: RequestOptions): ReadFile {
  const request = createRequest(options);
  return async (path, { onBytes, ...call } = {}) => {
    const read = async (response: Response) => {
      const chunks: Uint8Array<ArrayBuffer>[] = [];
      let bytes = 0;
      const reader = response.body?.getReader();
      for (let chunk = await reader?.read(); chunk?.value; chunk = await reader?.read()) {
        chunks.push(chunk.value);
        bytes += chunk.value.byteLength;
        onBytes?.(bytes);
      }
      return new Blob(chunks, { type: response.headers.get("content-type") ?? "" });
    };
    const { response, body } = await request("GET", path, { ...call, read });
    const named = /filename="([^"]+)"/.exec(response.headers.get("content-disposition") ?? "");
    return { fileName: named?.[1] ?? null, content: body };
  };
}

interface ReadCall<Body> extends Call {
  read: (response: Response) => Promise<Body>;
}

/** Sends requests and returns what `read` makes of a successful response. Throws a problem otherwise. */
function createRequest(options: RequestOptions) {
  const fetch = options.fetch ?? globalThis.fetch.bind(globalThis);
  const readCookies = options.readCookies ?? pageCookies;

  return async <Body>(method: string, path: string, call: ReadCall<Body>) => {
    try {
      return await attempt(method, path, call);
    } catch (error) {
      if (!(error instanceof ApiProblem) || !gateCodes.has(error.code)) throw error;
      if (!(await options.passGate?.(error, method)) || call.signal?.aborted) throw error;
      return attempt(method, path, call);
    }
  };

  async function attempt<Body>(
    method: string,
    path: string,
    { query, body, signal, background, acceptedError, read }: ReadCall<Body>,
  ) {
    const headers = new Headers({ accept: "application/json" });
    if (background ?? (method === "GET" && options.isBackground?.())) headers.set("x-svc-background", "1");
    if (body !== undefined) headers.set("content-type", "application/json");
    if (options.bearer) headers.set("authorization", `Bearer ${options.bearer}`);
    else if (method !== "GET") {
      const token = csrfToken(readCookies());
      if (token) headers.set("x-csrf-token", token);
    }

    let response: Response;
    let content: Body | null = null;
    let refusal = "";
    try {
      response = await fetch(`${options.baseUrl ?? ""}/api/v1${path}${queryText(query)}`, {
        method,
        headers,
        body: body === undefined ? null : JSON.stringify(body),
        credentials: options.bearer ? "omit" : "same-origin",
        signal: signal ?? null,
        cache: "no-store",
      });
      if (response.ok) content = await read(response);
      else {
        refusal = await response.text();
        if (isAccepted(response.status, refusal, acceptedError)) content = await read(new Response(refusal));
      }
    } catch (error) {
      if (signal?.aborted) throw error;
      options.onOutcome?.({ reach: "unreachable", status: 0, code: "unreachable", serverTimeMs: null });
      throw new ApiProblem({ code: "unreachable", status: 0, message: "the server did not answer", cause: error });
    }
    const serverTimeMs = readTime(response.headers.get("date"));
    if (content === null) {
      const problem = problemOf(response, refusal);
      options.onOutcome?.({ reach: "answered", status: response.status, code: problem.code, serverTimeMs });
      throw problem;
    }
    options.onOutcome?.({ reach: "answered", status: response.status, code: null, serverTimeMs });
    return { response, body: content };
  }
}

/** Outside of a page there is no document. */
const pageCookies = (): string =>
  (globalThis as { readonly document?: { readonly cookie: string } }).document?.cookie ?? "";

/** Refusals that a code or password can resolve. */
const gateCodes = new Set(["mfa_reverify_required", "mfa_enrollment_required", "step_up_required"]);

function isAccepted(status: number, text: string, expected: Call["acceptedError"]): boolean {
  if (status !== expected?.status) return false;
  try {
    return expected.member in JSON.parse(text);
  } catch {
    return false;
  }
}

function readTime(header: string | null): number | null {
  const timeMs = Date.parse(header ?? "");
  return Number.isNaN(timeMs) ? null : timeMs;
}

function parseBody<Result>(response: Response, text: string): Result {
  if (text === "") return undefined as Result;
  try {
    return parseExact(text) as Result;
  } catch (error) {
    throw new ApiProblem({
      code: "unreadable",
      status: response.status,
      message: "the response is not JSON. A proxy may have replaced it",
      cause: error,
    });
  }
}

/** The CSRF token. Prefers the prefixed cookie, which only a secure origin can set. */
export function csrfToken(cookies: string): string | null {
  let plain: string | null = null;
  for (const part of cookies.split(/;\s*/)) {
    const at = part.indexOf("=");
    const name = part.slice(0, at);
    if (name === "__Host-svc_csrf") return part.slice(at + 1);
    if (name === "svc_csrf") plain = part.slice(at + 1);
  }
  return plain;
}

function queryText(query: Call["query"]): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries((query ?? {}) as Readonly<Record<string, QueryValue>>)) {
    if (value === undefined || value === null || value === "") continue;
    for (const one of Array.isArray(value) ? value : [value]) params.append(name, String(one));
  }
  const text = params.toString();
  return text === "" ? "" : `?${text}`;
}

/**
 * Template tag that encodes each inserted path part, slashes included.
 *
 * @throws ApiProblem `unaddressable` for `.` and `..`, which URL parsers remove even when escaped.
 */
export function pathOf(parts: TemplateStringsArray, ...values: string[]): string {
  const dots = values.find((value) => value === "." || value === "..");
  if (dots !== undefined) {
    throw new ApiProblem({
      code: "unaddressable",
      status: 0,
      message: `"${dots}" cannot be part of an address, so it cannot be requested.`,
    });
  }
  return parts.reduce((path, part, i) => path + encodeURIComponent(values[i - 1] ?? "") + part);
}
