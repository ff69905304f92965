import { type Static, Type } from "typebox";
import { Instant, InstantText, JsonObject, Line, Nullable, OneOf, Uuid } from "../../platform/http/schemas.ts";
import { lossReasons } from "./losses/losses.ts";
import { versionStatuses } from "./version-status.ts";

const InstantString = Type.String({ format: "date-time" });

export const Agent = Type.Object({
  id: Uuid,
  project_id: Uuid,
  name: Type.String(),
  state: Type.String({ description: "online, offline or unknown" }),
  protocol_version: Type.String(),
  framework_adapter: Type.String(),
  engine_adapters: Type.Array(Type.String()),
  scheduler_adapters: Type.Array(Type.String()),
  capabilities: JsonObject,
  last_seen_at: Nullable(InstantString),
  last_connect_at: Nullable(InstantString),
  created_at: InstantString,
  is_outdated: Type.Boolean(),
  host_name: Nullable(Type.String()),
  agent_version: Nullable(Type.String()),
  version_status: Nullable(OneOf(versionStatuses)),
  transport: Nullable(Type.String({ description: "ws or longpoll" })),
  metadata: JsonObject,
});
export type Agent = Static<typeof Agent>;

export const AgentList = Type.Object({ items: Type.Array(Agent) });

export const MintAgentBody = Type.Object({ name: Line(200) });

export const MintedAnswer = Type.Object({
  agent: Agent,
  token: Type.String({ description: "the agent's bearer; told only here" }),
  hmac_secret: Type.String({ description: "the key that signs frames; told only here" }),
});

export const AgentParams = Type.Object({ slug: Type.String(), agent_id: Uuid });

export const StatusHistory = Type.Object({
  items: Type.Array(Type.Object({ id: Type.Integer(), captured_at: InstantString, payload: JsonObject })),
});

export const AgentProcess = Type.Object({
  id: Uuid,
  agent_id: Uuid,
  project_id: Uuid,
  worker_id: Nullable(Type.String()),
  role: Nullable(Type.String()),
  framework: Nullable(Type.String()),
  pid: Nullable(Type.Integer()),
  started_at: Nullable(InstantString),
  state: Type.String(),
  last_seen_at: Nullable(InstantString),
  last_connect_at: Nullable(InstantString),
  created_at: InstantString,
  updated_at: InstantString,
});
export type AgentProcess = Static<typeof AgentProcess>;

export const ProcessQuery = Type.Object({
  state: Type.Optional(Type.String({ maxLength: 20 })),
  role: Type.Optional(Type.String({ maxLength: 32 })),
  limit: Type.Integer({ default: 200, minimum: 1, maximum: 500 }),
});

export const CompletenessQuery = Type.Object({
  since: Type.Optional(InstantText),
  until: Type.Optional(InstantText),
});

export const Completeness = Type.Object({
  gaps: Type.Array(
    Type.Object({
      agent_id: Uuid,
      agent_name: Type.String(),
      from: Instant,
      to: Instant,
      event_records: Type.Integer(),
      other_frames: Type.Integer(),
      reason: OneOf(lossReasons),
    }),
    { description: "in order of time; counts are of whole gaps, also where one begins before the range" },
  ),
  kept_since: Type.Union([Instant], { description: "losses before this are no longer known" }),
  is_cut: Type.Boolean({ description: "there were more than a thousand losses, of which the newest are shown" }),
});
