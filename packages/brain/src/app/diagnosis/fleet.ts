import { wireTimes } from "@svc/protocol";
import manifest from "../../../package.json" with { type: "json" };
import { type AgentContact, listContacts, versionStatus } from "../../features/agents/index.ts";
import type { Clock } from "../../platform/clock.ts";
import { readDatabaseTime } from "../../platform/database/dialects/database-facts.ts";
import { minutes } from "../../platform/durations.ts";
import type { BrainDatabase } from "../../schema/tables/index.ts";
import type { BrainSettings } from "../settings/settings.ts";
import { about, type Finding } from "./finding.ts";

/** Maximum agents with separate lines, problems first. */
const maxLines = 20;
const maxRead = 5000;
/** Clock differences that are not reported, in milliseconds. */
const agentSkewMs = 10_000;
const databaseSkewMs = 2000;

/** Reports the last contact and version of agents, and which clocks are wrong. */
export async function checkAgents(
  database: BrainDatabase,
  settings: Pick<BrainSettings, "SVC_AGENT_OFFLINE_TIMEOUT_SECONDS">,
  now: Date,
): Promise<Finding[]> {
  const { ok } = about("agents");
  const agents = await listContacts(database.read, maxRead);
  if (agents.length === 0) return [ok("no agents yet")];
  const findings = agents.map((agent) => judge(agent, settings.SVC_AGENT_OFFLINE_TIMEOUT_SECONDS * 1000, now));
  const weight = { failed: 0, warning: 1, ok: 2 };
  findings.sort((left, right) => weight[left.status] - weight[right.status]);
  const shown = findings.slice(0, maxLines);
  const rest = findings.length - shown.length;
  return rest === 0 ? shown : [...shown, ok(`${rest} more`)];
}

function judge(agent: AgentContact, timeoutMs: number, now: Date): Finding {
  const { ok, warning, failed } = about("agents");
  const { last_seen_at: seen, agent_version: version } = agent;
  const name = `${agent.slug}/${agent.name}`;
  if (seen === null)
    return warning(`${name} never connected`, "start it with the token from its creation, or revoke it");
  const facts = `${name}: last contact ${ago(now.getTime() - seen.getTime())}, version ${version ?? "unknown"}`;
  const fit = versionStatus(version, manifest.version);
  if (fit === "incompatible") return failed(facts, `not compatible with version ${manifest.version}: update the agent`);
  if (fit === "outdated" || fit === "newer_than_known") {
    return warning(facts, `the service runs ${manifest.version}: use the same version for both`);
  }
  if (now.getTime() - seen.getTime() > timeoutMs) {
    const advice = "check that it runs and can reach the service. An agent whose clock is a minute off is refused";
    return warning(facts, advice);
  }
  const aheadMs = aheadBy(agent);
  if (aheadMs !== null) {
    const advice = `set it by NTP: an agent whose clock is ${wireTimes.frameAgeMs / 1000} s off is refused`;
    return warning(`${facts}, clock ${Math.round(aheadMs / 1000)} s ahead`, advice);
  }
  return ok(facts);
}

/**
 * How far an agent's clock is ahead, in milliseconds, by its newest sample (its clock) and its last contact (ours); null when it is not. A
 * clock that is behind cannot be distinguished from an old sample.
 */
function aheadBy({ last_seen_at: seen, last_sample_at: sample }: AgentContact): number | null {
  const aheadMs = seen === null || sample === null ? 0 : sample.getTime() - seen.getTime();
  return aheadMs > agentSkewMs ? aheadMs : null;
}

/** Whether this machine and the database agree on the time. */
export async function checkClock(database: BrainDatabase, clock: Clock): Promise<Finding> {
  const { ok, warning, failed } = about("clock");
  const before = clock.now().getTime();
  const theirs = await readDatabaseTime(database);
  if (theirs === null) return ok("the embedded database uses this machine's clock");
  const after = clock.now().getTime();
  const offMs = Math.round(theirs.getTime() - (before + after) / 2);
  const message = `the database's clock is ${(Math.abs(offMs) / 1000).toFixed(1)} s ${offMs < 0 ? "behind" : "ahead"}`;
  if (Math.abs(offMs) <= databaseSkewMs) return ok(message);
  const advice = "set both clocks by NTP: sessions, retention and leases depend on them";
  return Math.abs(offMs) > minutes(1) ? failed(message, advice) : warning(message, advice);
}

function ago(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 120) return `${seconds} s ago`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min ago`;
  return seconds < 172_800 ? `${Math.round(seconds / 3600)} h ago` : `${Math.round(seconds / 86_400)} days ago`;
}
