import {
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type ServerWritableStream,
  type sendUnaryData,
} from "@grpc/grpc-js";
import type { FireSchedulesRequest, SnapshotFrame, WatchFrame } from "@svc/protocol";
import { schedulerServiceDefinition } from "@svc/protocol/scheduler";
import { type Model, msOf, wallMs } from "./model.ts";

/** The model on loopback. Collects how late each fire was when the scheduler sent it and when it arrived, in milliseconds. */
export async function serveModel(model: Model) {
  const sentMs: number[] = [];
  const arrivedMs: number[] = [];
  const server = new Server();
  server.addService(schedulerServiceDefinition(), {
    Ping: (_call: unknown, done: sendUnaryData<unknown>) => done(null, model.ping()),
    ListScheduleSnapshot: async (call: ServerWritableStream<unknown, SnapshotFrame>) => {
      for (const frame of model.snapshot()) {
        if (!call.write(frame)) await new Promise<void>((resolve) => call.once("drain", resolve));
      }
      call.end();
    },
    WatchSchedules: async (call: ServerWritableStream<unknown, WatchFrame>) => {
      const ending = new AbortController();
      call.on("cancelled", () => ending.abort());
      for await (const frame of model.watch(ending.signal)) call.write(frame);
    },
    FireSchedules: (call: ServerUnaryCall<FireSchedulesRequest, unknown>, done: sendUnaryData<unknown>) => {
      const { fires } = call.request;
      for (const fire of fires) {
        const slot = msOf(fire.scheduled_for);
        sentMs.push(msOf(fire.fired_at) - slot);
        arrivedMs.push(wallMs() - slot);
      }
      done(null, { results: fires.map((fire) => ({ answer: model.fire(fire) })) });
    },
  });
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (fault, free) =>
      fault === null ? resolve(free) : reject(fault),
    );
  });
  return { port, sentMs, arrivedMs, stop: () => server.forceShutdown() };
}
