import type { ApiProblem } from "@svc/client";
import { CliError, type ExitName } from "../command-line/exit-codes.ts";
import { inOneLine, printable } from "../terminal/printed.ts";

/** Whom a service was asked by, and where. */
export interface Asked {
  readonly address: string;
  readonly credential: "key" | "session" | "none";
  /** The project that was named. */
  readonly slug?: string;
}

/**
 * The refusal as people read it: the service's own words, what it says beside them, and what may help. Never a secret.
 *
 * @param what was named in the project, for example `task mail:1 of bullmq`.
 */
export function explainProblem(problem: ApiProblem, asked: Asked, what?: string): CliError {
  // Something that this program itself found in an answer.
  if (problem.cause instanceof CliError) return problem.cause;
  const { message, hint } = wordsOf(problem, asked, what);
  const lines = [message, ...factLines(problem), ...(hint === undefined ? [] : [hint])];
  return new CliError(exitOf(problem), printable(lines.join("\n     ")), { cause: problem });
}

function exitOf({ code, status }: ApiProblem): ExitName {
  if (code === "unreachable" || code === "unreadable" || status === 503) return "unreachable";
  if (code === "unaddressable") return "usage";
  if (status === 404) return "notFound";
  return status === 429 || status >= 500 ? "failed" : "refused";
}

interface Words {
  readonly message: string;
  readonly hint?: string | undefined;
}

function wordsOf(problem: ApiProblem, asked: Asked, what: string | undefined): Words {
  const { code, message, details } = problem;
  const reason = String(details.reason ?? "");
  switch (code) {
    case "unreachable":
      return { message: `${asked.address} does not answer: ${whyUnreachable(problem.cause)}` };
    case "unreadable":
      return { message: `${asked.address} is no svc, or something stands before it: ${message}` };
    case "unauthenticated":
      return { message, hint: credentialHints[asked.credential] };
    case "not_found":
      return { message: `there is no ${missing(details.resource, asked.slug, what)}, or it is not yours to see` };
    case "scope_missing":
    case "mfa_reverify_required":
    case "mfa_enrollment_required":
      return { message, hint: hints[code] };
    case "forbidden":
      return { message, hint: hints[reason] };
    case "rate_limited":
      return { message, hint: `try again in ${problem.retryAfterSeconds ?? 60} s` };
    default:
      return { message, hint: details.matched === undefined ? hints[reason] : "--max takes more, up to 10000" };
  }
}

/** The service may say what kind of thing it missed. */
function missing(resource: unknown, slug: string | undefined, what: string | undefined): string {
  if (slug === undefined) return "such thing";
  const kind = typeof resource === "string" ? resource.replaceAll("_", " ") : null;
  if (kind === "project" || (kind === null && what === undefined)) return `project ${slug}`;
  return what === undefined || (kind !== null && !what.startsWith(kind))
    ? `such ${kind}`
    : `${what} in project ${slug}`;
}

const credentialHints: Record<Asked["credential"], string> = {
  key: "the API key in SVC_API_KEY is unknown, revoked or expired",
  session: "the session is over: svc login begins another one",
  none: "e-mail or password is wrong, or the account is locked or not active",
};

const hints: Readonly<Record<string, string>> = {
  scope_missing: "the key in SVC_API_KEY has not the scope for it; the dashboard shows what it has",
  mfa_reverify_required: "the second factor has to be proven again: svc login",
  mfa_enrollment_required: "a second factor has to be set up first, in the dashboard",
  project_bound: "the key in SVC_API_KEY is bound to another project",
  session_only: "no API key may do this: svc login, and unset SVC_API_KEY",
  mfa_locked: "too many wrong codes: wait, or an administrator ends the factor",
  agent_offline: "its agent has to run: svc agent, or the application that holds it",
  retry_contract_missing: "the agent is too old to retry safely",
  overrides_required: "that is --args and --kwargs",
};

/** What the details of a refusal tell, one line each. */
function factLines({ code, details, message }: ApiProblem): string[] {
  return Object.entries(details).flatMap(([name, value]) => {
    if (code === "not_found" && name === "resource") return [];
    if (name === "errors" && Array.isArray(value)) {
      return value.filter((fault) => fault?.message !== message).map(faultLine);
    }
    if (name === "agents" && Array.isArray(value)) {
      return value.length === 0 ? ["no agent is online"] : value.map(agentLine);
    }
    return [`${name}: ${inOneLine(typeof value === "string" ? value : JSON.stringify(value))}`];
  });
}

function faultLine(fault: { loc?: unknown[]; message?: string }): string {
  const [, ...where] = fault.loc ?? [];
  return `${where.join(".") || "request"} ${fault.message ?? "is not valid"}`;
}

function agentLine(agent: { name?: string; capabilities?: Record<string, unknown> }): string {
  const able = Object.entries(agent.capabilities ?? {}).map(
    ([engine, tokens]) => `${engine} (${Array.isArray(tokens) && tokens.length > 0 ? tokens.join(", ") : "nothing"})`,
  );
  return `online: ${agent.name} can do ${able.join(", ") || "nothing"}`;
}

const networkWords: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there",
  ENOTFOUND: "there is no such host",
  EAI_AGAIN: "the name of the host cannot be looked up now",
  EHOSTUNREACH: "there is no way to that host",
  ENETUNREACH: "there is no way to that network",
  ECONNRESET: "the connection was cut",
  UND_ERR_SOCKET: "the connection was cut",
  ETIMEDOUT: "no connection in time",
  UND_ERR_CONNECT_TIMEOUT: "no connection in time",
  TimeoutError: "no answer in time",
};

/** Errors of `fetch` hide what happened behind "fetch failed". */
function whyUnreachable(cause: unknown): string {
  let deepest = "";
  for (let fault = cause, depth = 0; fault instanceof Error && depth < 5; fault = fault.cause, depth += 1) {
    const errors = fault instanceof AggregateError ? (fault.errors as unknown[]) : [];
    for (const one of [fault, ...errors] as NodeJS.ErrnoException[]) {
      const words = networkWords[one.code ?? ""] ?? networkWords[one.name];
      if (words !== undefined) return words;
      if (one.code !== undefined) return `${one.message} (${one.code})`;
    }
    deepest = fault.message;
  }
  return deepest || "the connection failed";
}
