import { existsSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { createServer } from "node:net";
import { dirname } from "node:path";
import { sqlitePath } from "../../platform/database/open.ts";
import { parseRange } from "../../platform/http/connections/addresses.ts";
import { isLoopbackHost } from "../../platform/http/connections/hosts.ts";
import type { BrainSettings } from "../settings/settings.ts";
import { about, type Finding } from "./finding.ts";

/** Whether proxies, listener and public URL are consistent. */
export async function checkProxies(settings: BrainSettings): Promise<Finding> {
  const { ok, warning, failed } = about("proxies");
  const url = new URL(settings.SVC_PUBLIC_URL);
  const trusted = settings.SVC_TRUSTED_PROXIES;
  if (trusted.some((text) => parseRange(text)?.prefixBits === 0)) {
    return failed(
      "SVC_TRUSTED_PROXIES trusts every address",
      "list only the addresses of your proxies: otherwise clients can forge their own",
    );
  }
  const isLocal = isLoopbackHost(url.hostname);
  if (isLocal && !isLoopbackHost(settings.SVC_BIND_HOST)) {
    const message = `the service listens on ${settings.SVC_BIND_HOST}, its public URL is ${url.origin}`;
    return warning(
      message,
      "set SVC_PUBLIC_URL to the address people use: links, cookies and Host checks depend on it",
    );
  }
  if (!isLocal && trusted.length === 0) {
    const advice =
      "list the proxy that terminates TLS: otherwise all clients share its address in limits and address lists";
    return warning(`SVC_TRUSTED_PROXIES is empty and the public URL is ${url.origin}`, advice);
  }
  return ok(trusted.length === 0 ? `none, for ${url.origin}` : `${trusted.join(", ")} for ${url.origin}`);
}

/** Whether the port is free, or in use by the service itself. */
export async function checkPort(settings: Pick<BrainSettings, "SVC_BIND_HOST" | "SVC_BIND_PORT">): Promise<Finding> {
  const { ok, warning, failed } = about("port");
  const { SVC_BIND_HOST: host, SVC_BIND_PORT: port } = settings;
  const code = await tryToListen(host, port);
  if (code === null) return ok(`${host} port ${port} is free; no service is running there`);
  if (code === "EACCES")
    return failed(`this user may not listen on ${host} port ${port}`, "choose another SVC_BIND_PORT");
  if (code !== "EADDRINUSE") return failed(`cannot listen on ${host} (${code})`, "choose another SVC_BIND_HOST");
  const state = await askService(host, port);
  if (state === "ready") return ok(`${host} port ${port} is in use by the running service`);
  if (state === "not ready") return warning(`the service on ${host} port ${port} is not ready`, "see its log");
  return failed(
    `${host} port ${port} is in use by another program`,
    "stop that program, or choose another SVC_BIND_PORT",
  );
}

function tryToListen(host: string, port: number): Promise<string | null> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? "unknown error"));
    server.listen({ host, port }, () => server.close(() => resolve(null)));
  });
}

const everyAddress: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" };

async function askService(host: string, port: number): Promise<"ready" | "not ready" | "other"> {
  const address = everyAddress[host] ?? host;
  const origin = `http://${address.includes(":") ? `[${address}]` : address}:${port}`;
  try {
    const answer = await fetch(`${origin}/health/ready`, { signal: AbortSignal.timeout(3000), redirect: "manual" });
    const text = (await answer.text()).slice(0, 1000);
    if (answer.status === 200 && /"status":\s*"ready"/.test(text)) return "ready";
    return answer.status === 503 && text.includes('"reason"') ? "not ready" : "other";
  } catch {
    return "other";
  }
}

const fullBytes = 100 * 1024 ** 2;
const tightBytes = 1024 ** 3;

/** Free space where the service writes. */
export async function checkDisk(home: string, databaseUrl: string): Promise<Finding[]> {
  const file = databaseUrl.startsWith("sqlite:") ? dirname(sqlitePath(databaseUrl)) : home;
  const places = new Set([home, file]);
  return Promise.all([...places].map(checkSpace));
}

async function checkSpace(path: string): Promise<Finding> {
  const { ok, warning, failed } = about("disk");
  let existing = path;
  while (!existsSync(existing) && dirname(existing) !== existing) existing = dirname(existing);
  const { bavail, bsize, blocks } = await statfs(existing);
  const freeBytes = bavail * bsize;
  const percent = blocks === 0 ? 100 : Math.floor((bavail / blocks) * 100);
  const message = `${(freeBytes / 1024 ** 3).toFixed(1)} GiB (${percent} %) free for ${path}`;
  const advice = "free disk space, or keep events for fewer days (SVC_EVENT_RETENTION_DAYS)";
  if (freeBytes < fullBytes) return failed(message, advice);
  return freeBytes < tightBytes || percent < 5 ? warning(message, advice) : ok(message);
}
