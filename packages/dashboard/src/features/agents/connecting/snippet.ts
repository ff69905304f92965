/** Shown once. Later, `NAME=` is left empty and marked as "shown once". */
export interface AgentSecrets {
  token: string;
  hmacSecret: string;
}

export interface AgentStart {
  engine: string;
  secrets: AgentSecrets | null;
  /** Origin of this service. */
  brainUrl: string;
  /** Digest of the agent file. */
  sha256: string;
  redisUrl: string;
}

const loopback = new Set(["localhost", "127.0.0.1", "[::1]"]);

export const isLoopback = (brainUrl: string): boolean => loopback.has(new URL(brainUrl).hostname);

/** The agent refuses plain HTTP to other hosts unless `--dev` is given. */
export const needsDev = (brainUrl: string): boolean => brainUrl.startsWith("http:") && !isLoopback(brainUrl);

export function environmentLines(secrets: AgentSecrets | null): string[] {
  return [
    `export SVC_TOKEN=${quoted(secrets?.token ?? "")}`,
    `export SVC_HMAC_SECRET=${quoted(secrets?.hmacSecret ?? "")}`,
  ];
}

/**
 * Downloads, verifies and starts the agent, in a shell on Linux or macOS. Each step runs only if the previous one succeeded. Without secrets,
 * those in the shell's environment are kept.
 */
export function startCommand({ engine, secrets, brainUrl, sha256, redisUrl }: AgentStart): string {
  const redis = engine === "bullmq" ? redisUrl.trim() : "";
  // Other users of a machine can read a process's arguments.
  const isSecret = redis !== "" && Boolean(redisParts(redis)?.password);
  return [
    ...(secrets === null ? [] : environmentLines(secrets)),
    ...(isSecret ? [`export SVC_REDIS_URL=${quoted(redis)}`] : []),
    `curl -fsSO ${brainUrl}/agent/svc-agent.mjs &&`,
    // macOS has shasum instead of sha256sum.
    `echo "${sha256}  svc-agent.mjs" | $(command -v sha256sum || echo shasum -a 256) -c &&`,
    [
      `node svc-agent.mjs ${engine}`,
      ...(redis === "" || isSecret ? [] : [`--redis ${quoted(redis)}`]),
      `--brain ${brainUrl}`,
      ...(needsDev(brainUrl) ? ["--dev"] : []),
    ].join(" "),
  ].join("\n");
}

/** Why the agent would refuse this Redis URL, or null. */
export function redisUrlError(text: string): string | null {
  const url = redisParts(text.trim());
  return url === null || /\s/.test(text.trim()) ? "Must be redis://HOST:PORT or rediss://HOST:PORT" : null;
}

/** Parsed as http, because older browsers find no host in URLs with an unknown scheme. */
function redisParts(text: string): URL | null {
  const [, rest] = /^rediss?:(\/\/[^/].*)$/.exec(text) ?? [];
  return rest !== undefined && URL.canParse(`http:${rest}`) ? new URL(`http:${rest}`) : null;
}

/** Quotes a text for the shell. */
const quoted = (text: string): string => (/^[\w.,:/@%+=-]*$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

/** The agent inside the worker process; token and secret come from the environment. */
export function inProcessCode(brainUrl: string): string {
  return `import { startAgent } from "@svc/agent";
import { attachBullmq } from "@svc/bullmq";

const agent = startAgent({
  brainUrl: "${brainUrl}",
  token: process.env.SVC_TOKEN ?? "",
  hmacSecret: process.env.SVC_HMAC_SECRET ?? "",
  // redis: an address or connection options, not a client. worker: your BullMQ Worker
  engines: [attachBullmq({ redis, workers: [worker] })],
});
// at shutdown, after worker.close()
await agent.stop();`;
}
