import { wireTimes } from "@svc/protocol";
import manifest from "../../../package.json" with { type: "json" };
import { type AgentContact, listContacts, versionStatus } from "../../features/agents/index.ts";
import type { Clock } from "../../platform/clock.ts";
import { readDatabaseTime } from "../../platform/database/dialects/database-facts.ts";
import { minutes } from "../../platform/durations.ts";
import type { BrainDatabase } from "../../schema/tables/index.ts";
import type { BrainSettings } from "../settings/settings.ts";
import { about, type Finding } from "./finding.ts";

/** Agents that get a line of their own, those with something to tell first. */
const maxLines = 20;
const maxRead = 5000;
/** How far a clock may be off before anybody is told, in milliseconds. */
const agentSkewMs = 10_000;
const databaseSkewMs = 2000;

/** Agents with their last contact and version, and whose clock is off. */
export async function lookAtAgents(
  database: BrainDatabase,
  settings: Pick<BrainSettings, "SVC_AGENT_OFFLINE_TIMEOUT_SECONDS">,
  now: Date,
): Promise<Finding[]> {
  const { ok } = about("agents");
  const agents = await listContacts(database.read, maxRead);
  if (agents.length === 0) return [ok("none is known yet")];
  const findings = agents.map((agent) => judge(agent, settings.SVC_AGENT_OFFLINE_TIMEOUT_SECONDS * 1000, now));
  const weight = { failed: 0, warning: 1, ok: 2 };
  findings.sort((left, right) => weight[left.status] - weight[right.status]);
  const told = findings.slice(0, maxLines);
  const rest = findings.length - told.length;
  return rest === 0 ? told : [...told, ok(`${rest} more`)];
}

function judge(agent: AgentContact, timeoutMs: number, now: Date): Finding {
  const { ok, warning, failed } = about("agents");
  const { last_seen_at: seen, agent_version: version } = agent;
  const name = `${agent.slug}/${agent.name}`;
  if (seen === null)
    return warning(`${name} never connected`, "start it with the token it was minted with, or revoke it");
  const facts = `${name}: last contact ${ago(now.getTime() - seen.getTime())}, version ${version ?? "unknown"}`;
  const fit = versionStatus(version, manifest.version);
  if (fit === "incompatible") return failed(facts, `its version does not fit ${manifest.version}: update it`);
  if (fit === "outdated" || fit === "newer_than_known") {
    return warning(facts, `the service is ${manifest.version}: bring both to one version`);
  }
  if (now.getTime() - seen.getTime() > timeoutMs) {
    const advice = "is it running, and does it reach the service? A clock that is a minute off keeps an agent out";
    return warning(facts, advice);
  }
  const aheadMs = aheadBy(agent);
  if (aheadMs !== null) {
    const advice = `set it by NTP: ${wireTimes.frameAgeMs / 1000} s off keep an agent out`;
    return warning(`${facts}, clock ${Math.round(aheadMs / 1000)} s ahead`, advice);
  }
  return ok(facts);
}

/**
 * How far an agent's clock is ahead, in milliseconds, by its newest sample (its clock) and its last contact (ours); null when it is not. One
 * that is behind looks like one whose newest sample is old.
 */
function aheadBy({ last_seen_at: seen, last_sample_at: sample }: AgentContact): number | null {
  const aheadMs = seen === null || sample === null ? 0 : sample.getTime() - seen.getTime();
  return aheadMs > agentSkewMs ? aheadMs : null;
}

/** Whether this machine and the database agree on the time. */
export async function lookAtClock(database: BrainDatabase, clock: Clock): Promise<Finding> {
  const { ok, warning, failed } = about("clock");
  const before = clock.now().getTime();
  const theirs = await readDatabaseTime(database);
  if (theirs === null) return ok("the embedded database has this machine's clock");
  const after = clock.now().getTime();
  const offMs = Math.round(theirs.getTime() - (before + after) / 2);
  const message = `the database's clock is ${(Math.abs(offMs) / 1000).toFixed(1)} s ${offMs < 0 ? "behind" : "ahead"}`;
  if (Math.abs(offMs) <= databaseSkewMs) return ok(message);
  const advice = "set both clocks by NTP: sessions, retention and leases go by them";
  return Math.abs(offMs) > minutes(1) ? failed(message, advice) : warning(message, advice);
}

function ago(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 120) return `${seconds} s ago`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min ago`;
  return seconds < 172_800 ? `${Math.round(seconds / 3600)} h ago` : `${Math.round(seconds / 86_400)} days ago`;
}
