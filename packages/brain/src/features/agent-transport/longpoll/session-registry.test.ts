import { createFakeClock } from "@svc/testkit";
import { describe, expect, test } from "vitest";
import { SessionRegistry } from "./session-registry.ts";

const project = "11111111-2222-4333-8444-555555555555";
const secret = new Uint8Array(32).fill(7);

function build(limits: { maxSessions?: number; maxPerAgent?: number } = {}) {
  const clock = createFakeClock(new Date("2026-01-02T03:04:05Z"));
  const registry = new SessionRegistry({ clock, secretOf: () => secret, ...limits });
  const open = (agent: string, nonce: string, isProbe = false) => registry.open(agent, project, nonce, isProbe);
  const use = (agent: string, nonce: string, isProbe = false) => {
    const opening = open(agent, nonce, isProbe);
    if (opening.outcome === "open") opening.release();
    return opening.outcome;
  };
  return { clock, registry, open, use };
}

describe("the long-poll session registry", () => {
  test("keeps one signer per agent and nonce", () => {
    const { open } = build();
    const first = open("a", "n1");
    const again = open("a", "n1");
    const other = open("a", "n2");
    expect(first.outcome === "open" && again.outcome === "open" && first.session === again.session).toBe(true);
    expect(first.outcome === "open" && other.outcome === "open" && first.session === other.session).toBe(false);
  });

  test("evicts the agent's own longest unused session to admit a new one", () => {
    const { clock, use, registry } = build({ maxPerAgent: 2 });
    use("a", "n1");
    clock.advance(1000);
    use("a", "n2");
    clock.advance(1000);
    expect(use("a", "n3")).toBe("open");
    expect(registry.size()).toBe(2);
  });

  test("is full when every session of the agent has a request in flight", () => {
    const { open } = build({ maxPerAgent: 2 });
    open("a", "n1");
    open("a", "n2");
    expect(open("a", "n3").outcome).toBe("full");
    expect(open("b", "n1").outcome).toBe("open");
  });

  test("never evicts another agent's sessions, but drops those that were idle for five minutes", () => {
    const { clock, use } = build({ maxSessions: 2 });
    use("a", "n1");
    use("b", "n1");
    expect(use("c", "n1")).toBe("full");
    clock.advance(300_000);
    expect(use("c", "n1")).toBe("open");
  });

  test("refuses every request of an agent after a signature failure until a probe under a fresh nonce", () => {
    const { registry, use } = build();
    use("a", "n1");
    use("a", "n2");
    registry.invalidate("a", "n1");
    expect(use("a", "n1")).toBe("invalidated");
    expect(use("a", "n3")).toBe("invalidated");
    expect(use("a", "n1", true)).toBe("invalidated");
    expect(use("a", "n2", true)).toBe("invalidated");
    expect(use("b", "n1")).toBe("open");
    expect(use("a", "n4", true)).toBe("open");
    expect(use("a", "n1")).toBe("open");
  });

  test("lets a marker expire with the idle timeout", () => {
    const { clock, registry, use } = build();
    registry.invalidate("a", "n1");
    clock.advance(299_999);
    expect(use("a", "n2")).toBe("invalidated");
    clock.advance(1);
    expect(use("a", "n2")).toBe("open");
  });

  test("a probe of the legacy session starts both directions at 1 again and still refuses a replay", () => {
    const { clock, open } = build();
    const opening = open("a", "", true);
    if (opening.outcome !== "open") throw new Error("not open");
    const { guard } = opening.session;
    const frame = { seq: 5, ts: clock.now().toISOString(), nonce: "AAAAAAAAAAAAAAAAAAAAAA" };
    expect(guard.admit(frame)).toBe("ok");
    expect(guard.admit({ ...frame, seq: 1, nonce: "BBBBBBBBBBBBBBBBBBBBBB" })).toBe("seq");
    open("a", "", true);
    expect(guard.admit({ ...frame, seq: 1, nonce: "BBBBBBBBBBBBBBBBBBBBBB" })).toBe("ok");
    expect(guard.admit({ ...frame, seq: 6 })).toBe("nonce");
  });

  test("runs the uploads of one session one after another, also after one failed", async () => {
    const { open } = build();
    const opening = open("a", "n1");
    if (opening.outcome !== "open") throw new Error("not open");
    const order: string[] = [];
    let finishFirst = () => {};
    const first = opening.session.serially(async () => {
      await new Promise<void>((resolve) => {
        finishFirst = resolve;
      });
      order.push("first");
      throw new Error("failed");
    });
    const second = opening.session.serially(async () => {
      order.push("second");
    });
    await Promise.resolve();
    finishFirst();
    await expect(first).rejects.toThrow("failed");
    await second;
    expect(order).toEqual(["first", "second"]);
  });
});
