import { once } from "node:events";
import {
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type ServerWritableStream,
  type sendUnaryData,
  status,
} from "@grpc/grpc-js";
import type { FireOutcome, FireSchedulesRequest } from "@svc/protocol";
import { schedulerServiceDefinition } from "@svc/protocol/scheduler";
import type { Brain } from "../src/brain/brain.ts";
import { systemClock } from "../src/clock.ts";
import { authority, serverCertificate, serverKey } from "./certificates.ts";
import { createFakeBrain, type FakeBrain } from "./simulated/fake-brain.ts";

const timeoutMs = 60_000;

/** The fake service on a real gRPC server at loopback. */
export async function startGrpcService({ port = 0, isSecure = true, brain = createFakeBrain(systemClock) } = {}) {
  const server = new Server();
  const messageSizes: number[] = [];
  server.addService(schedulerServiceDefinition(), handlersOf(brain.connect("grpc"), messageSizes));
  const credentials = isSecure
    ? ServerCredentials.createSsl(
        Buffer.from(authority),
        [{ private_key: Buffer.from(serverKey), cert_chain: Buffer.from(serverCertificate) }],
        true,
      )
    : ServerCredentials.createInsecure();
  const bound = await new Promise<number>((resolve, reject) => {
    server.bindAsync(`127.0.0.1:${port}`, credentials, (fault, free) => (fault ? reject(fault) : resolve(free)));
  });
  return {
    port: bound,
    brain: brain as FakeBrain,
    /** Fires of each message. */
    messageSizes,
    stop: () => server.forceShutdown(),
  };
}

function handlersOf(brain: Brain, messageSizes: number[]) {
  const unary =
    <Request, Response>(work: (request: Request) => Promise<Response>) =>
    (call: ServerUnaryCall<Request, Response>, done: sendUnaryData<Response>): void => {
      work(call.request).then(
        (response) => done(null, response),
        (fault: Error) => done(statusOf(fault)),
      );
    };
  const streaming =
    <Request, Frame>(frames: (request: Request, signal: AbortSignal) => AsyncIterable<Frame>) =>
    async (call: ServerWritableStream<Request, Frame>): Promise<void> => {
      const ending = new AbortController();
      const cancelled = once(call, "cancelled").then(() => ending.abort());
      try {
        for await (const frame of frames(call.request, ending.signal)) {
          if (!call.write(frame)) await Promise.race([drained(call), cancelled]);
        }
        call.end();
      } catch (fault) {
        if (!ending.signal.aborted) call.emit("error", statusOf(fault as Error));
      }
    };
  return {
    Ping: unary(() => brain.ping(timeoutMs)),
    ListScheduleSnapshot: streaming(brain.snapshot),
    WatchSchedules: streaming(brain.watch),
    FireSchedules: unary(async ({ fires }: FireSchedulesRequest) => {
      messageSizes.push(fires.length);
      return { results: await Promise.all(fires.map((request) => outcomeOf(brain.fire(request, timeoutMs)))) };
    }),
    AdvanceScheduleCursor: unary((request: Parameters<Brain["advance"]>[0]) => brain.advance(request, timeoutMs)),
    QuarantineSchedule: unary((request: Parameters<Brain["quarantine"]>[0]) => brain.quarantine(request, timeoutMs)),
    AcknowledgeFireResult: unary(() => Promise.resolve({ applied: false })),
  };
}

const outcomeOf = (answer: ReturnType<Brain["fire"]>): Promise<FireOutcome> =>
  answer.then(
    (each) => ({ answer: each }),
    (fault: Error) => ({ refusal: { code: statusOf(fault).code, message: fault.message } }),
  );

const drained = (call: ServerWritableStream<unknown, unknown>): Promise<void> =>
  new Promise((resolve) => call.once("drain", resolve));

/** The message of a fault of the fake service begins with the name of its status. */
function statusOf({ message }: Error) {
  const [name = ""] = message.split(":");
  const code = (status as unknown as Readonly<Record<string, number>>)[name] ?? status.INTERNAL;
  return Object.assign(new Error(message), { code, details: message });
}
