import { createHmac } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createKeyring } from "../../../platform/crypto/keyring.ts";
import {
  actorRef,
  ChainIntegrityError,
  canonicalRow,
  instantOfMicros,
  microsOf,
  openState,
  rowHmac,
  type SignedRow,
  sealState,
} from "./chain.ts";
import { chainKeyId, createChainKeys } from "./chain-keys.ts";

const secret = "audit-demo-secret-0123456789abcdef!!";
const keys = createChainKeys(createKeyring(secret));

const row: SignedRow = {
  id: "018f0000-0000-7000-8000-000000000001",
  action: "project.created",
  target_type: "project",
  target_id: "018f0000-0000-7000-8000-000000000002",
  result: "success",
  outcome: "allow",
  event_id: null,
  actor_ref: null,
  api_key_id: null,
  project_id: null,
  source_ip: "127.0.0.1",
  user_agent: null,
  metadata: '{"ratio":1.0,"slug":"a"}',
  occurred_us: 1_767_323_045_678_901,
  prev_row_hmac: null,
  hmac_key_id: keys.current.id,
  chain_generation: "018f0000-0000-7000-8000-000000000003",
};

describe("the keys of the audit chain", () => {
  test("have the ids of the test vector", () => {
    expect(chainKeyId(Buffer.from(secret))).toBe("31923d446dabb76692be5eb7e72143da8f58fc976be27a54331c2bd348eb2045");
  });

  test("are refused when short, repeated or too many", () => {
    const long = (index: number) => `${index}`.padStart(32, "k");
    expect(() => createChainKeys({ current: "short", all: ["short"] })).toThrow(/fewer than 32 bytes/);
    expect(() => createChainKeys({ current: long(1), all: [long(1), long(1)] })).toThrow(/equal/);
    const many = Array.from({ length: 32 }, (_, index) => long(index + 1));
    expect(() => createChainKeys(createKeyring(long(0), many))).toThrow(/more than 32/);
  });
});

describe("a row of the audit chain", () => {
  test("is canonical JSON with its metadata byte for byte", () => {
    expect(canonicalRow(row)).toBe(
      '{"action":"project.created","actor_ref":null,"api_key_id":null,' +
        '"chain_generation":"018f0000-0000-7000-8000-000000000003","event_id":null,' +
        `"hmac_key_id":"${keys.current.id}","id":"018f0000-0000-7000-8000-000000000001",` +
        '"metadata":{"ratio":1.0,"slug":"a"},"occurred_at":"2026-01-02T03:04:05.678901+00:00","outcome":"allow",' +
        '"prev_row_hmac":null,"project_id":null,"result":"success","source_ip":"127.0.0.1",' +
        '"target_id":"018f0000-0000-7000-8000-000000000002","target_type":"project","user_agent":null,"version":2}',
    );
  });

  test("is signed with its label in front", () => {
    const expected = createHmac("sha256", secret)
      .update(`svc/audit-chain/row/v2\0${canonicalRow(row)}`)
      .digest("hex");
    expect(rowHmac(keys.current, row)).toBe(expected);
    // The vector of docs/reference/audit-format.md.
    expect(expected).toBe("91cabfa9e14021ce392970fa7c5bc63dba122593a4a4974d19bc597c67c729d4");
  });

  test("has another signature when any signed field differs", () => {
    for (const field of Object.keys(row) as (keyof SignedRow)[]) {
      const changed = { ...row, [field]: field === "occurred_us" ? row.occurred_us + 1 : '"changed"' };
      expect(rowHmac(keys.current, changed), field).not.toBe(rowHmac(keys.current, row));
    }
  });

  test("references its actor as in the test vector", () => {
    expect(actorRef("6f1d9a52-7c1e-4a80-9b65-0f0d7a3f1c22", "2c5ea4c0-4067-41e9-8bad-9b1deb4d3b7d")).toBe(
      "6e29c0e95f4ae975d63cfc2012f3c3026359e39b10537a598d659852d151e676",
    );
  });

  test("keeps its instant to the microsecond", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4_102_444_800_000_000 }), (micros) => {
        expect(instantOfMicros(micros)).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/);
        expect(microsOf(instantOfMicros(micros))).toBe(micros);
      }),
    );
  });
});

describe("the state of the audit chain", () => {
  const point = { row_hmac: "ab", key_id: keys.current.id, occurred_us: row.occurred_us, id: row.id };
  const state = {
    generation: row.chain_generation,
    installation_id: "6f1d9a52-7c1e-4a80-9b65-0f0d7a3f1c22",
    head: point,
    prune: null,
    active_row_count: 3,
    active_key_counts: { [keys.current.id]: 3 },
  };

  test("opens as it was sealed, even after the key was rotated", () => {
    const sealed = sealState(state, keys);
    const rotated = createChainKeys(createKeyring("another-audit-secret-0123456789abcdef", [secret]));
    expect(openState(sealed, keys)).toEqual(state);
    expect(openState(sealed, rotated)).toEqual(state);
  });

  test("is refused when a byte changed, under an unknown key, or when it is not JSON", () => {
    const sealed = sealState(state, keys);
    const stranger = createChainKeys(createKeyring("another-audit-secret-0123456789abcdef"));
    const changed = { ...sealed, state: sealed.state.replace('"active_row_count":3', '"active_row_count":2') };
    expect(() => openState(changed, keys)).toThrow(ChainIntegrityError);
    expect(() => openState(sealed, stranger)).toThrow(/not configured/);
    expect(() => openState({ ...sealed, state: "no json" }, keys)).toThrow(ChainIntegrityError);
  });

  test("is refused when its counts disagree or when it has rows but no head", () => {
    expect(() => openState(sealState({ ...state, active_row_count: 4 }, keys), keys)).toThrow(/disagree/);
    expect(() => openState(sealState({ ...state, head: null }, keys), keys)).toThrow(/no head/);
  });
});
