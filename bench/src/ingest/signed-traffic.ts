import { createSigner, createVerifier, type SessionIds, type Verifier } from "@svc/protocol";
import { benchProjectId, uuidOf } from "../harness/databases.ts";

const secret = new Uint8Array(32).fill(7);
const eventsPerTask = 3;
const kinds = ["task.sent", "task.started", "task.succeeded"] as const;
const names = ["app.emails.send_welcome", "app.invoices.render_pdf", "app.images.resize", "app.reports.nightly"];
const queues = ["emails", "invoices", "images", "reports"];

/** One agent's connection: frames signed before the clock starts, and the function that opens them. */
export interface Connection {
  readonly agentId: string;
  readonly frames: readonly Buffer[];
  readonly verifier: Verifier;
}

export interface Traffic {
  readonly connections: number;
  readonly framesPerConnection: number;
  readonly eventsPerFrame: number;
  /** `together`: the three events of a task in one frame. `apart`: in three frames, with a third of the traffic between them. */
  readonly tasks: "together" | "apart";
}

function sampleEvent(task: number, step: number, startMs: number): Record<string, unknown> {
  const data: Record<string, unknown> = {
    task_name: names[task % names.length],
    queue: queues[task % queues.length],
    attempt: 0,
  };
  if (step === 0) {
    data.args = [{ order_id: 1_000_000 + task, warehouse: "north-12", note: "shipped to the customer in three boxes" }];
    data.kwargs = { dry_run: false, source: "checkout", trace: `c${task}` };
  } else data.worker = `worker-${task % 8}@host-12`;
  if (step === 1) data.wait_ms = 5 + (task % 50);
  if (step === 2) {
    data.runtime_ms = 100 + (task % 900);
    data.result = { ok: true, message: "processed in three steps, nothing special to say", rows: task % 1000 };
  }
  return {
    id: uuidOf(task * eventsPerTask + step),
    kind: kinds[step],
    engine: "bullmq",
    task_id: `bull:${queues[task % queues.length]}:${1_000_000 + task}`,
    occurred_at: new Date(startMs + task * 2 + step * 40).toISOString(),
    data,
  };
}

/** Pre-signed traffic: each connection has its own tasks. */
export function signTraffic({ connections, framesPerConnection, eventsPerFrame, tasks }: Traffic): Connection[] {
  const perConnection = framesPerConnection * eventsPerFrame;
  const taskCount = Math.floor(perConnection / eventsPerTask);
  const startMs = Date.now() - 3_600_000;
  return Array.from({ length: connections }, (_, index) => {
    const session: SessionIds = {
      agentId: `aaaaaaaa-bbbb-4ccc-8ddd-${String(index).padStart(12, "0")}`,
      projectId: benchProjectId,
      sessionId: `99999999-8888-4777-8666-${String(index).padStart(12, "0")}`,
    };
    const { sign } = createSigner({ secret, session });
    const frames: Buffer[] = [];
    for (let frame = 0; frame < framesPerConnection; frame += 1) {
      const events = Array.from({ length: eventsPerFrame }, (_, offset) => {
        const position = frame * eventsPerFrame + offset;
        const isTogether = tasks === "together";
        const own = isTogether ? Math.floor(position / eventsPerTask) : position % taskCount;
        const step = isTogether
          ? position % eventsPerTask
          : Math.min(eventsPerTask - 1, Math.floor(position / taskCount));
        return sampleEvent(own * connections + index, step, startMs);
      });
      frames.push(Buffer.from(sign("event_batch", { events, sealed_at: new Date().toISOString() }, `ev_${frame}`)));
    }
    return { agentId: session.agentId, frames, verifier: createVerifier({ secret, session }) };
  });
}
