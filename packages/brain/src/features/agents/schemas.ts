import { type Static, Type } from "typebox";
import {
  Described,
  IdOf,
  Instant,
  JsonObject,
  Line,
  Nullable,
  OneOf,
  ProjectId,
  ProjectParams,
  timeRange,
  Uuid,
} from "../../platform/http/schemas.ts";
import { lossReasons } from "./losses/losses.ts";
import { versionStatuses } from "./version-status.ts";

export const Agent = Type.Object(
  {
    id: Described(Uuid, "id of the agent"),
    project_id: ProjectId,
    name: Type.String({ description: "name given when it was created; unique in the project" }),
    state: Type.Unsafe<string>(
      OneOf(["online", "offline", "unknown"], {
        title: "AgentState",
        description:
          "unknown: it never connected; online: connected, or sent frames recently; offline: disconnected or silent for too long",
      }),
    ),
    protocol_version: Type.String({
      description: "version of the wire protocol that it reported; empty when not reported",
    }),
    framework_adapter: Type.String({
      description: "how it runs, such as `side-car`, as it reported; empty when not reported",
    }),
    engine_adapters: Type.Array(Type.String(), {
      description: "empty when not reported, as for an agent that never connected over WebSocket",
    }),
    scheduler_adapters: Type.Array(Type.String(), {
      description: "schedulers that it can control; empty when not reported",
    }),
    capabilities: Described(JsonObject, "capability tokens, such as `retry_task`, by engine; empty when not reported"),
    last_seen_at: Nullable(Instant, "when it last sent frames; null if never"),
    last_connect_at: Nullable(Instant, "when it last connected or polled; null if never"),
    created_at: Described(Instant, "when it was created"),
    is_outdated: Type.Boolean({ description: "whether version_status is outdated or incompatible" }),
    host_name: Nullable(Type.String(), "name of its machine; null when not reported"),
    agent_version: Nullable(Type.String(), "version of its software; null when not reported"),
    version_status: Nullable(
      OneOf(versionStatuses),
      "its version compared with that of the service; null when not reported",
    ),
    transport: Nullable(
      Type.Unsafe<string>(OneOf(["ws", "longpoll"])),
      "how it last connected: WebSocket or long-poll; null if never",
    ),
    metadata: Described(JsonObject, "`host`: facts of its machine, as it reported"),
  },
  { title: "Agent", description: "An agent: the process that watches engines and carries out commands." },
);
export type Agent = Static<typeof Agent>;

export const AgentList = Type.Object(
  { items: Type.Array(Agent) },
  { title: "AgentPage", description: "All agents of a project." },
);

export const MintAgentBody = Type.Object(
  { name: Described(Line(200), "unique in the project") },
  { title: "AgentCreate" },
);

export const MintedAnswer = Type.Object(
  {
    agent: Agent,
    token: Type.String({ description: "the bearer token of the agent; shown only here" }),
    hmac_secret: Type.String({ description: "the key that signs frames; shown only here" }),
  },
  { title: "MintedAgent", description: "A new agent with its credentials." },
);

export const AgentParams = Type.Object({ ...ProjectParams.properties, agent_id: IdOf("agent") });

export const StatusHistory = Type.Object(
  {
    items: Type.Array(
      Type.Object(
        {
          id: Type.Integer({ description: "number that grows with each sample" }),
          captured_at: Described(Instant, "when the agent sent it, by the agent's clock"),
          payload: Described(JsonObject, "loss counters, buffer state and connection failures, as reported"),
        },
        { title: "AgentStatusSample", description: "What an agent reported about itself at one time." },
      ),
    ),
  },
  { title: "AgentStatusHistory", description: "Status samples of an agent, newest first." },
);

export const AgentProcess = Type.Object(
  {
    id: Described(Uuid, "id of the row"),
    agent_id: Described(Uuid, "agent that it belongs to"),
    project_id: ProjectId,
    worker_id: Nullable(Type.String(), "name that the process reported; null without one"),
    role: Nullable(Type.String(), "what the process does, as it reported; null when not reported"),
    framework: Nullable(Type.String(), "how the agent runs in it, as it reported; null when not reported"),
    pid: Nullable(Type.Integer(), "id of the process on its machine; null when not reported"),
    started_at: Nullable(Instant, "when the process started; null when not reported"),
    state: Type.String({ description: "online or offline" }),
    last_seen_at: Nullable(Instant, "when it last connected or sent a heartbeat; null if never"),
    last_connect_at: Nullable(Instant, "when it last connected; null if never"),
    created_at: Described(Instant, "when the service first saw it"),
    updated_at: Described(Instant, "when the row last changed"),
  },
  { title: "AgentProcess", description: "One process that an agent runs in." },
);

export const ProcessQuery = Type.Object({
  state: Type.Optional(Type.String({ maxLength: 20, description: "only processes in this state" })),
  role: Type.Optional(Type.String({ maxLength: 32, description: "only processes with this role" })),
  limit: Type.Integer({ description: "maximum number of rows", default: 200, minimum: 1, maximum: 500 }),
});

export const CompletenessQuery = Type.Object({
  ...timeRange,
});

export const Completeness = Type.Object(
  {
    gaps: Type.Array(
      Type.Object(
        {
          agent_id: Described(Uuid, "agent that lost them"),
          agent_name: Type.String({ description: "name of the agent" }),
          from: Described(Instant, "when lower loss counters were last reported"),
          to: Described(Instant, "when higher counters were reported"),
          event_records: Type.Integer({ description: "events that were lost" }),
          other_frames: Type.Integer({ description: "other frames that were lost, such as results of commands" }),
          reason: OneOf(lossReasons, {
            description:
              "capacity: the buffer was full; content: a record could not be sent; adapter: lost before the buffer; unknown: not reported",
          }),
        },
        { title: "CompletenessGap", description: "A period in which an agent lost records." },
      ),
      { description: "in order of time; counts are of whole gaps, even when one begins before the range" },
    ),
    kept_since: Type.Union([Instant], { description: "losses before this time are deleted" }),
    is_cut: Type.Boolean({ description: "more than 1000 losses exist; the newest are shown" }),
  },
  { title: "Completeness", description: "The periods in which agents lost records." },
);
