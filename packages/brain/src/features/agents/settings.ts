import { Type } from "typebox";

export const agentSettings = Type.Object({
  SVC_AGENT_OFFLINE_TIMEOUT_SECONDS: Type.Integer({
    default: 30,
    minimum: 1,
    maximum: 3600,
    description: "seconds without contact after which an agent is offline",
  }),
  SVC_AGENT_HEALTH_SWEEP_SECONDS: Type.Integer({
    default: 10,
    minimum: 1,
    maximum: 300,
    description: "interval between checks for silent agents, in seconds",
  }),
  SVC_AGENT_HYGIENE_SWEEP_SECONDS: Type.Integer({
    default: 86_400,
    minimum: 60,
    maximum: 604_800,
    description: "interval between checks for agents without contact, in seconds",
  }),
  SVC_AGENT_STALE_PRUNE_DAYS: Type.Integer({
    default: 30,
    minimum: 0,
    maximum: 3650,
    description:
      "days without contact after which an agent is revoked, or the row of an agent process is deleted; 0 means never",
  }),
  SVC_AGENT_STATUS_MAX_PER_AGENT: Type.Integer({
    default: 10_000,
    minimum: 0,
    maximum: 1_000_000,
    description: "maximum status samples to keep per agent; 0 means no limit besides retention",
  }),
});
