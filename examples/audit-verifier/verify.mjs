// Verifies an audit chain from a dump, following docs/reference/audit-format.md only. Usage:
//   SECRETS=$'present\nprevious' node verify.mjs rows.jsonl state.json [anchor.json]
// Prints one JSON document. Exit code: 0 clean (and the anchor provable), 1 failed or UNPROVABLE.
import { createHash, createHmac } from "node:crypto";
import { createReadStream, readFileSync } from "node:fs";

const [rowsFile, stateFile, anchorFile] = process.argv.slice(2);
const hmac = (key, label, text) => createHmac("sha256", key).update(`svc/audit-chain/${label}\0${text}`).digest("hex");
const secrets = (process.env.SECRETS ?? "").split("\n").filter((secret) => secret !== "");
const keys = new Map(secrets.map((secret) => [hmac(secret, "key-id/v1", ""), secret]));

/** Microseconds since 1970 as `2026-01-02T03:04:05.678901+00:00`. */
function instantOf(micros) {
  const millis = Math.floor(micros / 1000);
  return `${new Date(millis).toISOString().slice(0, 23)}${String(micros - millis * 1000).padStart(3, "0")}+00:00`;
}

/** The signed names in order of code points. */
const names =
  "action actor_ref api_key_id chain_generation event_id hmac_key_id id metadata occurred_at outcome prev_row_hmac project_id result source_ip target_id target_type user_agent version".split(
    " ",
  );

function canonicalRow(row) {
  const printed = (name) => {
    if (name === "metadata") return row.metadata;
    if (name === "version") return "2";
    return JSON.stringify(name === "occurred_at" ? instantOf(row.occurred_us) : row[name]);
  };
  return `{${names.map((name) => `"${name}":${printed(name)}`).join(",")}}`;
}

/** A point of the state: {id, key_id, occurred_at, row_hmac}. Times have a fixed width, so strings compare like times. */
function pointOf({ id, hmac_key_id: key_id, occurred_us, row_hmac }) {
  return { id, key_id, occurred_at: instantOf(occurred_us), row_hmac };
}
const isLater = (a, b) => a.occurred_at > b.occurred_at || (a.occurred_at === b.occurred_at && a.id > b.id);
const isSame = (a, b) => a !== null && b !== null && Object.keys(a).every((key) => a[key] === b[key]);

function readState() {
  const { state, state_hmac } = JSON.parse(readFileSync(stateFile, "utf8"));
  const parsed = JSON.parse(state);
  const key = keys.get(parsed.state_key_id);
  const counted = Object.values(parsed.active_key_counts).reduce((sum, count) => sum + count, 0);
  const holds = key !== undefined && hmac(key, "state/v1", state) === state_hmac && counted === parsed.active_row_count;
  return holds ? parsed : null;
}

/** The reason why a row is invalid; null for a valid one. */
function judge(row, previous, state) {
  if (row.hmac_version !== 2 || row.legacy_class !== null) return "version";
  if (row.chain_generation !== state.generation) return "generation";
  if (!keys.has(row.hmac_key_id)) return "key";
  if (hmac(keys.get(row.hmac_key_id), "row/v2", canonicalRow(row)) !== row.row_hmac) return "signature";
  if (previous !== null && !isLater(pointOf(row), previous)) return "order";
  if (row.prev_row_hmac !== (previous?.row_hmac ?? null)) return "link";
  if (isSame(previous, state.head)) return "after_head";
  if (row.user_id === null) return null;
  const reference = `svc/audit-chain/actor/v1\0${state.installation_id}\0${row.user_id}`;
  return createHash("sha256").update(reference).digest("hex") === row.actor_ref ? null : "actor";
}

/** Lines of the dump; only a line feed ends one, since rows may contain U+2028. */
async function* lines() {
  let rest = "";
  for await (const chunk of createReadStream(rowsFile, "utf8")) {
    const parts = (rest + chunk).split("\n");
    rest = parts.pop();
    yield* parts;
  }
  if (rest !== "") yield rest;
}

async function walk(state, anchor) {
  let previous = state.prune;
  let rows = 0;
  let anchored = null;
  const counts = {};
  const unexplained = new Map();
  for await (const line of lines()) {
    const row = JSON.parse(line);
    const reason = judge(row, previous, state);
    if (reason !== null) return { fault: { reason, row_id: row.id }, rows, anchored, last: previous };
    if (row.action === "user.deleted") unexplained.delete(JSON.parse(row.metadata).actor_ref);
    if (row.user_id === null && row.actor_ref !== null && !unexplained.has(row.actor_ref))
      unexplained.set(row.actor_ref, row.id);
    previous = pointOf(row);
    if (row.id === anchor?.id) anchored = previous;
    rows += 1;
    counts[row.hmac_key_id] = (counts[row.hmac_key_id] ?? 0) + 1;
  }
  const [lost] = unexplained.values();
  const agrees = Object.entries(state.active_key_counts).every(([id, count]) => (counts[id] ?? 0) === count);
  let fault = null;
  if (state.head !== null && !isSame(previous, state.head)) fault = { reason: "head_missing", row_id: state.head.id };
  else if (rows !== state.active_row_count || !agrees) fault = { reason: "counts", row_id: null };
  else if (lost !== undefined) fault = { reason: "actor", row_id: lost };
  return { fault, rows, anchored, last: previous };
}

/** The last valid row is the head, or the state says that all rows were pruned. */
function judgeAnchor(anchor, state, { anchored, last }) {
  const { id, hmac_key_id: key_id, row_hmac } = anchor;
  const point = { id, key_id, occurred_at: anchor.occurred_at.replace("Z", "+00:00"), row_hmac };
  if (state === null || anchor.generation !== state.generation) return "UNPROVABLE";
  if (state.head === null || isLater(point, state.head) || !isSame(last, state.head)) return "UNPROVABLE";
  if (isSame(point, state.head)) return "CURRENT_MATCH";
  if (anchored !== null) return isSame(point, anchored) ? "VERIFIED_ANCESTOR" : "UNPROVABLE";
  const isPruned = state.prune !== null && (isSame(point, state.prune) || isLater(state.prune, point));
  return isPruned ? "VERIFIED_ANCESTOR" : "UNPROVABLE";
}

const anchor = anchorFile === undefined ? null : JSON.parse(readFileSync(anchorFile, "utf8"));
const state = readState();
const walked = state === null ? { fault: { reason: "state", row_id: null }, rows: 0 } : await walk(state, anchor);
const { fault, rows } = walked;
const verdict = anchor === null ? null : judgeAnchor(anchor, state, walked);
console.log(JSON.stringify({ outcome: fault === null ? "clean" : "failed", fault, rows, anchor: verdict }));
process.exitCode = fault === null && verdict !== "UNPROVABLE" ? 0 : 1;
