import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import {
  canonicalizeText,
  capabilityTokens,
  closeCodes,
  commandActions,
  createVerifier,
  decodeHmacSecret,
  eventKinds,
  purgeConfirmToken,
  rateLimitByQueueMarker,
  redeliverableActions,
  retryContractMarker,
  retryResubmitsMarker,
  schedulerCapabilityTokens,
  sidecarEventId,
} from "@svc/protocol";
import { describe, expect, test } from "vitest";

/** The page promises that an agent can be written from it alone, so what it states is compared with the protocol. */
const page = readFileSync(new URL("../../../docs/reference/wire-protocol.md", import.meta.url), "utf8");
const vectors = page.slice(page.indexOf("## Test vectors"));
const codeBlocks = [...vectors.matchAll(/```json\n(?<code>.*?)\n```/gs)].map(({ groups }) => groups?.code ?? "");

function vector(name: string): string {
  const found = new RegExp(`^${name} +(\\S+)`, "m").exec(vectors)?.[1];
  if (found === undefined) throw new Error(`the page has no ${name}`);
  return found;
}

/** The output that the last table of the page gives for an input that begins with `start`. */
function output(start: string): string {
  const row = vectors.split("\n").find((line) => line.startsWith(`| ${start}`));
  return /`([^`]+)` \|$/.exec(row ?? "")?.[1] ?? "";
}

describe("test vectors of the page", () => {
  const secret = decodeHmacSecret(vector("hmac_secret"));
  const session = {
    agentId: vector("agent_id"),
    projectId: vector("project_id"),
    sessionId: vector("session_id"),
  };
  const [frame = "", signed = ""] = codeBlocks;

  test("the secret decodes to the bytes in hex", () => {
    expect(vectors).toContain(`= ${Buffer.from(secret).toString("hex")} in hex`);
  });

  test("the frame verifies, and its signature is the HMAC of the signed bytes", () => {
    expect(createVerifier({ secret, session }).open(frame)).toMatchObject({ ok: true });
    const digest = createHmac("sha256", secret).update(signed).digest("hex");
    expect(JSON.parse(frame).hmac).toBe(digest);
    expect(output("HMAC of the signed bytes")).toBe(digest);
    expect(vectors).toContain(`The signed bytes (${Buffer.byteLength(signed)} bytes)`);
  });

  test("purge token, event id and canonical form", () => {
    expect(output("purge token, queue `default`, depth 42")).toBe(purgeConfirmToken(secret, "default", 42));
    const [engine, source, nativeId, taskId, kind] = [
      "bullmq",
      "bull:emails",
      "1767323045678-0",
      "42",
      "task.succeeded",
    ];
    expect(output("event id of")).toBe(sidecarEventId({ engine, source, nativeId, taskId, kind }));
    expect(output("canonical form of")).toBe(canonicalizeText('{"b":[true,null,{"z":1,"a":""}],"B":1}'));
  });

  test("canonical numbers", () => {
    const rows = [...page.matchAll(/^\| `(\S+)` \| `(\S+)` \| \| (?:`(\S+)`|[^|]+) \| (?:`(\S+)`|[^|]+) \|$/gm)];
    const pairs = rows.flatMap(([, a, b, c, d]) => [
      [a, b],
      [c, d],
    ]);
    const given = pairs.filter(([text]) => text !== undefined);
    expect(given).toHaveLength(11);
    for (const [text = "", canonical] of given) expect(canonicalizeText(`[${text}]`)).toBe(`[${canonical}]`);
  });
});

test("the page names every close code, event kind, action and capability", () => {
  const names = [
    ...Object.values(closeCodes).map(String),
    ...eventKinds.filter((kind) => !kind.startsWith("schedule.")),
    ...commandActions.filter((action) => !action.startsWith("schedule.")),
    ...capabilityTokens,
    ...schedulerCapabilityTokens,
    retryContractMarker,
    retryResubmitsMarker,
    rateLimitByQueueMarker,
  ];
  const words = new Set(page.match(/[\w.]*\w/g));
  expect(names.filter((name) => !words.has(name))).toEqual([]);
});

test("the page names the actions that are sent again", () => {
  const sentence = page.slice(
    page.indexOf("The service sends these actions again"),
    page.indexOf("All others are sent once"),
  );
  const named = [...sentence.matchAll(/`([\w.]+)`/g)].map(([, action]) => action);
  const alias = "schedule.trigger_now.via_scheduler";
  expect(new Set(named)).toEqual(new Set([...redeliverableActions].filter((action) => action !== alias)));
});
