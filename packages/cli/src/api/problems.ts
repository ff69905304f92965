import type { ApiProblem } from "@svc/client";
import { CliError, type ExitName } from "../command-line/exit-codes.ts";
import { inOneLine, printable } from "../terminal/printed.ts";

/** The credential and address of a request. */
export interface ServiceContext {
  readonly address: string;
  readonly credential: "key" | "session" | "none";
  /** The selected project. */
  readonly slug?: string;
}

/**
 * The error text for a refusal: the service's message, its details, and a hint. Never contains a secret.
 *
 * @param what was requested, for example `task mail:1 of bullmq`.
 */
export function explainProblem(problem: ApiProblem, context: ServiceContext, what?: string): CliError {
  // An error that this program itself found in a response.
  if (problem.cause instanceof CliError) return problem.cause;
  const { message, hint } = explanationOf(problem, context, what);
  const lines = [message, ...factLines(problem), ...(hint === undefined ? [] : [hint])];
  return new CliError(exitOf(problem), printable(lines.join("\n     ")), { cause: problem });
}

function exitOf({ code, status }: ApiProblem): ExitName {
  if (code === "unreachable" || code === "unreadable" || status === 503) return "unreachable";
  if (code === "unaddressable") return "usage";
  if (status === 404) return "notFound";
  return status === 429 || status >= 500 ? "failed" : "refused";
}

interface Explanation {
  readonly message: string;
  readonly hint?: string | undefined;
}

function explanationOf(problem: ApiProblem, context: ServiceContext, what: string | undefined): Explanation {
  const { code, message, details } = problem;
  const reason = String(details.reason ?? "");
  switch (code) {
    case "unreachable":
      return { message: `can't reach ${context.address}: ${whyUnreachable(problem.cause)}` };
    case "unreadable":
      return { message: `${context.address} doesn't look like an svc server, or a proxy is in the way: ${message}` };
    case "unauthenticated":
      return { message, hint: credentialHints[context.credential] };
    case "not_found":
      // The resource exists, but no agent can act on it.
      if (details.resource === undefined && reason !== "") return { message, hint: hints[reason] };
      return {
        message: `${resourceName(details.resource, context.slug, what)} not found. It may have been deleted, or you may not have access`,
      };
    case "mfa_reverify_required":
    case "mfa_enrollment_required":
      return { message, hint: hints[code] };
    case "forbidden":
    case "scope_missing":
      return { message, hint: hints[reason] ?? hints[code] };
    case "rate_limited":
      return { message, hint: `try again in ${problem.retryAfterSeconds ?? 60} s` };
    default:
      return { message, hint: details.matched === undefined ? hints[reason] : "raise --max, up to 10,000" };
  }
}

/** Names the missing resource as precisely as possible. */
function resourceName(resource: unknown, slug: string | undefined, what: string | undefined): string {
  if (slug === undefined) return "resource";
  const kind = typeof resource === "string" ? resource.replaceAll("_", " ") : null;
  if (kind === "project") return `project ${slug}`;
  if (what === undefined) return kind ?? `project ${slug}`;
  return kind !== null && !what.startsWith(kind) ? kind : `${what} in project ${slug}`;
}

const credentialHints: Record<ServiceContext["credential"], string> = {
  key: "the API key in SVC_API_KEY is unknown, revoked or expired",
  session: "the session has expired. Run svc login",
  none: "wrong email or password, or the account is locked or inactive",
};

const hints: Readonly<Record<string, string>> = {
  scope_missing: "the key in SVC_API_KEY lacks the required scope. The dashboard shows its scopes",
  mfa_reverify_required: "verify the second factor again with svc login",
  mfa_enrollment_required: "set up a second factor in the dashboard first",
  project_bound: "the key in SVC_API_KEY belongs to another project",
  session_only: "API keys are not accepted. Unset SVC_API_KEY and run svc login",
  mfa_locked: "too many wrong codes. Wait, or ask an administrator to reset the second factor",
  no_online_agent: "start its agent (svc agent, or the application it runs in)",
  engine_not_installed: "start an agent that serves the engine",
  agent_offline: "start its agent (svc agent, or the application it runs in)",
  retry_contract_missing: "the agent's version cannot retry safely. Upgrade it",
  overrides_required: "use --args and --kwargs",
  stale_control_token: "check it with svc schedules show",
};

/** The details of a refusal, one line each. */
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
  return `${where.join(".") || "request"} ${fault.message ?? "is invalid"}`;
}

function agentLine(agent: { name?: string; capabilities?: Record<string, unknown> }): string {
  const capabilities = Object.entries(agent.capabilities ?? {}).map(
    ([engine, tokens]) => `${engine} (${Array.isArray(tokens) && tokens.length > 0 ? tokens.join(", ") : "nothing"})`,
  );
  return `online: ${agent.name} supports ${capabilities.join(", ") || "nothing"}`;
}

const networkErrors: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ENOTFOUND: "host not found",
  EAI_AGAIN: "host name lookup failed",
  EHOSTUNREACH: "no route to the host",
  ENETUNREACH: "no route to the network",
  ECONNRESET: "connection lost",
  UND_ERR_SOCKET: "connection lost",
  ETIMEDOUT: "connection timed out",
  UND_ERR_CONNECT_TIMEOUT: "connection timed out",
  TimeoutError: "no response in time",
};

/** Finds the actual cause, which `fetch` hides behind "fetch failed". */
function whyUnreachable(cause: unknown): string {
  let deepest = "";
  for (let fault = cause, depth = 0; fault instanceof Error && depth < 5; fault = fault.cause, depth += 1) {
    const errors = fault instanceof AggregateError ? (fault.errors as unknown[]) : [];
    for (const one of [fault, ...errors] as NodeJS.ErrnoException[]) {
      const text = networkErrors[one.code ?? ""] ?? networkErrors[one.name];
      if (text !== undefined) return text;
      if (one.code !== undefined) return `${one.message} (${one.code})`;
    }
    deepest = fault.message;
  }
  return deepest || "the connection failed";
}
