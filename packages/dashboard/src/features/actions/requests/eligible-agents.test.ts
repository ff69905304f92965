import type { Agent } from "@svc/client";
import { describe, expect, test } from "vitest";
import { eligibleAgents, whyUnsupported } from "./eligible-agents.ts";

const agent = (name: string, tokens: readonly string[]): Agent => ({
  id: name,
  project_id: "11111111-2222-4333-8444-555555555555",
  name,
  state: "online",
  protocol_version: "1",
  framework_adapter: "",
  engine_adapters: ["celery"],
  scheduler_adapters: [],
  capabilities: { celery: [...tokens] },
  last_seen_at: null,
  last_connect_at: null,
  host_name: null,
  agent_version: null,
  version_status: null,
  created_at: "2026-11-20T10:00:00.000Z",
  is_outdated: false,
  transport: "ws",
  metadata: {},
});
const contract = ["retry_task", "bulk_retry", "retry_by_reference_v1"];
const byReference = agent("by reference", contract);

describe.each([
  ["with the marker of a retry by reference", [...contract, "retry_resubmits"]],
  ["without it", ["retry_task", "bulk_retry", "retry_resubmits"]],
])("an agent whose adapter can only resubmit, %s", (_, tokens) => {
  const resubmitting = agent("resubmitting", tokens);

  test("is not eligible for a bulk retry, which has no inputs", () => {
    expect(eligibleAgents([resubmitting], "celery", "bulk_retry")).toEqual({
      agents: [],
      resubmits: false,
      reason: "celery retries by resubmitting, which needs the arguments of each task. Retry them one by one",
    });
  });

  test("is passed over for one that retries with the kept inputs", () => {
    const { agents, reason } = eligibleAgents([resubmitting, byReference], "celery", "bulk_retry");
    expect(agents.map(({ name }) => name)).toEqual(["by reference"]);
    expect(reason).toBeNull();
  });

  test("is eligible for the retry of one task, which then needs its inputs", () => {
    expect(eligibleAgents([resubmitting], "celery", "retry_task")).toMatchObject({ resubmits: true, reason: null });
    expect(eligibleAgents([byReference], "celery", "retry_task")).toMatchObject({ resubmits: false, reason: null });
  });
});

test("agents without the contract are distinguished from those that can't retry at all", () => {
  const reason = (tokens: readonly string[]) => eligibleAgents([agent("a", tokens)], "celery", "bulk_retry").reason;
  expect(reason(["bulk_retry"])).toBe("The agents for celery can't retry safely. Update them");
  expect(reason(["retry_task"])).toBe("No online agent for celery can retry several tasks at once");
  expect(eligibleAgents([byReference], "bullmq", "bulk_retry").reason).toBe("No online agent serves bullmq");
  expect(eligibleAgents([], "celery", "bulk_retry").reason).toBe("No agent is online");
});

describe("the rate", () => {
  const byWorker = agent("by worker", ["rate_limit"]);
  const byQueue = agent("by queue", ["rate_limit", "rate_limit_by_queue"]);
  const polls = { ...agent("polls", []), transport: "longpoll" as const, engine_adapters: [], capabilities: {} };
  const poll: Agent = { ...polls, last_seen_at: "2026-11-20T10:00:00.000Z" };
  const toQueue = "celery limits rates per queue. See the queue's page";
  const toWorkers = "celery limits rates per worker. See its workers' pages";

  test.each([
    ["rate_limit_of_worker", [byWorker], null],
    ["rate_limit_of_queue", [byWorker], toWorkers],
    ["rate_limit_of_worker", [byQueue], toQueue],
    ["rate_limit_of_queue", [byQueue], null],
    ["rate_limit_of_worker", [poll], null],
    ["rate_limit_of_queue", [poll], null],
    ["rate_limit_of_worker", [{ ...byQueue, state: "offline" }, poll], toQueue],
    ["rate_limit_of_queue", [{ ...byQueue, state: "offline" }, poll], null],
    ["rate_limit_of_queue", [byWorker, poll], toWorkers],
    ["rate_limit", [byQueue], null],
    ["rate_limit", [byWorker], null],
    ["rate_limit_of_queue", [byReference], "No online agent for celery can limit rates"],
    ["rate_limit_of_worker", [byReference], "No online agent for celery can limit rates"],
  ] as const)("%s with %j is prevented by %j", (capability, agents, reason) => {
    const eligibility = eligibleAgents(agents as readonly Agent[], "celery", capability);
    expect(eligibility.reason).toBe(reason);
    expect(eligibility.agents.length > 0).toBe(reason === null);
  });
});

describe("an engine", () => {
  const plain = agent("a", ["retry_task"]);

  test("lacks an action that none of its online agents reports", () => {
    expect(whyUnsupported([plain], "celery", "restart_worker")).toBe("No online agent for celery can restart workers");
    expect(whyUnsupported([agent("b", ["restart_worker"]), plain], "celery", "restart_worker")).toBeNull();
  });

  test("has all actions while none of its agents is online", () => {
    const offline = { ...plain, state: "offline" as const };
    expect(whyUnsupported([offline], "celery", "restart_worker")).toBeNull();
    expect(whyUnsupported([plain], "bullmq", "restart_worker")).toBeNull();
    expect(whyUnsupported([], "celery", "restart_worker")).toBeNull();
  });
});
