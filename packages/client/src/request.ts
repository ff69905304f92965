import { parseExact } from "./exact-json.ts";
import { ApiProblem, problemOf } from "./problem.ts";

export interface RequestOptions {
  /** Origin in front of `/api/v1`; empty (default) means the page's own. */
  baseUrl?: string;
  /** API key. When given it replaces cookie and CSRF token. */
  bearer?: string;
  fetch?: typeof globalThis.fetch;
  /** The page's cookies, read for the CSRF token before each mutating call; default `document.cookie`. */
  readCookies?: () => string;
  /** Asked before each read that does not say itself whether a timer made it. */
  isBackground?: () => boolean;
  /** Asked when a call is refused for want of a second factor or a recent proof of identity; true once that is there, and then the same call is made again. */
  passGate?: (problem: ApiProblem, method: string) => Promise<boolean>;
  /** Called after each call, so that a page can say whether the server is reachable. */
  onOutcome?: (outcome: Outcome) => void;
}

export type Reachability = "answered" | "unreachable";
export interface Outcome {
  reach: Reachability;
  status: number;
  code: string | null;
  /** The server's clock when it answered, in milliseconds since 1970 and whole seconds; null when it did not say. */
  serverTimeMs: number | null;
}

export interface CallOptions {
  signal?: AbortSignal;
  /** A read made by a timer: it does not keep an idle session alive. */
  background?: boolean;
}

export type QueryValue = string | number | boolean | null | undefined;
export interface Call extends CallOptions {
  query?: object;
  body?: unknown;
  /** A refusal that is an answer all the same, known by its status and a member of its body that the envelope does not have. */
  answersWith?: { status: number; member: string };
}
export type Send = <Answer>(
  method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE",
  path: string,
  call?: Call,
) => Promise<Answer>;

/** An answer that is a file. */
export interface Download {
  /** As the server names it; null when it does not. */
  fileName: string | null;
  content: Blob;
}

export interface DownloadCall extends Call {
  /** Told how many bytes have come so far. */
  onBytes?: (bytes: number) => void;
}

export type ReadFile = (path: string, call?: DownloadCall) => Promise<Download>;

/** `path` is below `/api/v1` and already encoded, see `pathOf`. */
export function createSend(options: RequestOptions): Send {
  const request = createRequest(options);
  return async <Answer>(method: string, path: string, call: Call = {}) => {
    const { response, body } = await request(method, path, { ...call, read: (answer) => answer.text() });
    return readAnswer<Answer>(response, body);
  };
}

/** Reads whole files, piece by piece, so that a page can say how far it has come and stop. */
export function createReadFile(options: RequestOptions): ReadFile {
  const request = createRequest(options);
  return async (path, { onBytes, ...call } = {}) => {
    const read = async (answer: Response) => {
      const parts: Uint8Array<ArrayBuffer>[] = [];
      let bytes = 0;
      const reader = answer.body?.getReader();
      for (let part = await reader?.read(); part?.value; part = await reader?.read()) {
        parts.push(part.value);
        bytes += part.value.byteLength;
        onBytes?.(bytes);
      }
      return new Blob(parts, { type: answer.headers.get("content-type") ?? "" });
    };
    const { response, body } = await request("GET", path, { ...call, read });
    const named = /filename="([^"]+)"/.exec(response.headers.get("content-disposition") ?? "");
    return { fileName: named?.[1] ?? null, content: body };
  };
}

interface ReadCall<Body> extends Call {
  read: (answer: Response) => Promise<Body>;
}

/** Makes requests and gives back what `read` makes of a good answer; every other end is a problem. */
function createRequest(options: RequestOptions) {
  const fetch = options.fetch ?? globalThis.fetch.bind(globalThis);
  const readCookies = options.readCookies ?? pageCookies;

  return async <Body>(method: string, path: string, asked: ReadCall<Body>) => {
    try {
      return await attempt(method, path, asked);
    } catch (error) {
      if (!(error instanceof ApiProblem) || !gateCodes.has(error.code)) throw error;
      if (!(await options.passGate?.(error, method)) || asked.signal?.aborted) throw error;
      return attempt(method, path, asked);
    }
  };

  async function attempt<Body>(
    method: string,
    path: string,
    { query, body, signal, background, answersWith, read }: ReadCall<Body>,
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
        if (isAnswer(response.status, refusal, answersWith)) content = await read(new Response(refusal));
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

/** Outside of a page there is no document, and neither is its type. */
const pageCookies = (): string =>
  (globalThis as { readonly document?: { readonly cookie: string } }).document?.cookie ?? "";

/** The refusals that a code or the password would turn into a yes. */
const gateCodes = new Set(["mfa_reverify_required", "mfa_enrollment_required", "step_up_required"]);

function isAnswer(status: number, text: string, expected: Call["answersWith"]): boolean {
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

function readAnswer<Answer>(response: Response, text: string): Answer {
  if (text === "") return undefined as Answer;
  try {
    return parseExact(text) as Answer;
  } catch (error) {
    throw new ApiProblem({
      code: "unreadable",
      status: response.status,
      message: "the answer is not JSON; something between this page and the server replaced it",
      cause: error,
    });
  }
}

/** The token of the readable cookie. The prefixed name wins: only a secure origin can have set it. */
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
    params.set(name, String(value));
  }
  const text = params.toString();
  return text === "" ? "" : `?${text}`;
}

/**
 * Template tag that encodes each inserted path part, slashes included.
 *
 * @throws ApiProblem `unaddressable` for `.` and `..`: no escape keeps a URL from being folded at them.
 */
export function pathOf(parts: TemplateStringsArray, ...values: string[]): string {
  const dots = values.find((value) => value === "." || value === "..");
  if (dots !== undefined) {
    throw new ApiProblem({
      code: "unaddressable",
      status: 0,
      message: `"${dots}" cannot be part of an address, so the API cannot be asked for it.`,
    });
  }
  return parts.reduce((path, part, i) => path + encodeURIComponent(values[i - 1] ?? "") + part);
}
