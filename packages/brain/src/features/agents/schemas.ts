import { type Static, Type } from "typebox";
import {
  IdOf,
  Instant,
  JsonObject,
  Line,
  Nullable,
  OneOf,
  ProjectParams,
  timeRange,
  Uuid,
} from "../../platform/http/schemas.ts";
import { lossReasons } from "./losses/losses.ts";
import { versionStatuses } from "./version-status.ts";

export const Agent = Type.Object(
  {
    id: Uuid,
    project_id: Uuid,
    name: Type.String(),
    state: Type.Unsafe<string>(OneOf(["online", "offline", "unknown"], { title: "AgentState" })),
    protocol_version: Type.String(),
    framework_adapter: Type.String(),
    engine_adapters: Type.Array(Type.String(), {
      description: "empty also when an agent never connected over WebSocket: then nothing was reported",
    }),
    scheduler_adapters: Type.Array(Type.String()),
    capabilities: JsonObject,
    last_seen_at: Nullable(Instant),
    last_connect_at: Nullable(Instant),
    created_at: Instant,
    is_outdated: Type.Boolean(),
    host_name: Nullable(Type.String()),
    agent_version: Nullable(Type.String()),
    version_status: Nullable(OneOf(versionStatuses)),
    transport: Nullable(Type.Unsafe<string>(OneOf(["ws", "longpoll"]))),
    metadata: JsonObject,
  },
  { title: "Agent", description: "An agent: the process that watches engines and carries out commands." },
);
export type Agent = Static<typeof Agent>;

export const AgentList = Type.Object(
  { items: Type.Array(Agent) },
  { title: "AgentPage", description: "All agents of a project." },
);

export const MintAgentBody = Type.Object({ name: Line(200) }, { title: "AgentCreate" });

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
        { id: Type.Integer(), captured_at: Instant, payload: JsonObject },
        { title: "AgentStatusSample", description: "What an agent reported about itself at one time." },
      ),
    ),
  },
  { title: "AgentStatusHistory", description: "Status samples of an agent, newest first." },
);

export const AgentProcess = Type.Object(
  {
    id: Uuid,
    agent_id: Uuid,
    project_id: Uuid,
    worker_id: Nullable(Type.String()),
    role: Nullable(Type.String()),
    framework: Nullable(Type.String()),
    pid: Nullable(Type.Integer()),
    started_at: Nullable(Instant),
    state: Type.String(),
    last_seen_at: Nullable(Instant),
    last_connect_at: Nullable(Instant),
    created_at: Instant,
    updated_at: Instant,
  },
  { title: "AgentProcess", description: "One process that an agent runs in." },
);

export const ProcessQuery = Type.Object({
  state: Type.Optional(Type.String({ maxLength: 20, description: "only processes in this state" })),
  role: Type.Optional(Type.String({ maxLength: 32, description: "only processes with this role" })),
  limit: Type.Integer({ description: "most rows", default: 200, minimum: 1, maximum: 500 }),
});

export const CompletenessQuery = Type.Object({
  ...timeRange,
});

export const Completeness = Type.Object(
  {
    gaps: Type.Array(
      Type.Object(
        {
          agent_id: Uuid,
          agent_name: Type.String(),
          from: Instant,
          to: Instant,
          event_records: Type.Integer(),
          other_frames: Type.Integer(),
          reason: OneOf(lossReasons),
        },
        { title: "CompletenessGap", description: "A period in which an agent lost records." },
      ),
      { description: "in order of time; counts are of whole gaps, also where one begins before the range" },
    ),
    kept_since: Type.Union([Instant], { description: "losses before this are no longer known" }),
    is_cut: Type.Boolean({ description: "there were more than a thousand losses, of which the newest are shown" }),
  },
  { title: "Completeness", description: "The periods in which agents lost records." },
);
