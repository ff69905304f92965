import { AgentTransport } from "../features/agent-transport/index.ts";
import type { Access } from "../platform/http/access/access.ts";
import type { BrainDeps } from "./brain-deps.ts";
import type { Features } from "./features.ts";

/** The agent transport, between the server's access rules and the features behind it. */
export function createTransport(deps: BrainDeps, features: Features, access: Access) {
  const { clock, database, log, metrics, settings } = deps;
  const { agents, audit, commands, ingest, queues, workers } = features;
  const verified = metrics.counter({
    name: "svc_frames_verified_total",
    help: "agent frames with a valid signature, by how it was verified",
    labels: ["path"],
  });
  const transport = new AgentTransport({
    agents,
    applyHealth(projectId, frameTs, health) {
      queues.applyHealth(projectId, frameTs, health);
      workers.applyHealth(projectId, frameTs, health);
    },
    brainVersion: deps.version,
    clock,
    commands,
    database,
    ingest,
    isAddressAllowed: (address) => access.admitsAddress("agent", address),
    log,
    refused(action, facts, identity) {
      const isOfProject = action === "agent.auth.project_inactive";
      audit.refused(
        {
          action,
          target_type: "agent",
          target_id: identity?.agent_id ?? null,
          project_id: identity?.project_id ?? null,
          result: "failed",
          outcome: "deny",
          source_ip: facts.address,
          metadata: { path: facts.path },
        },
        isOfProject
          ? { scope: `${action} ${identity?.agent_id}`, source: identity?.project_id }
          : { scope: action, address: facts.address },
      );
    },
    secretOf: features.secretOf,
    settings,
    takeConnect: (address) => access.takeBucket("agent-connect", address),
    verified: (path) => verified.inc({ path }),
    workerId: deps.processId,
  });
  metrics.gauge({
    name: "svc_ws_connections",
    help: "open agent WebSockets of this process",
    collect: (gauge) => gauge.set(transport.gateway.connections()),
  });
  metrics.gauge({
    name: "svc_longpoll_sessions",
    help: "long-poll sessions of this process",
    collect: (gauge) => gauge.set(transport.sessions()),
  });
  return transport;
}

export type Transport = ReturnType<typeof createTransport>;
