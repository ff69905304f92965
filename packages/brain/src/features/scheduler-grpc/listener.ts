import type { handleServerStreamingCall, handleUnaryCall, Server } from "@grpc/grpc-js";
import type {
  FireScheduleRequest,
  ReplaceableTls,
  SnapshotFrame,
  SnapshotRequest,
  WatchFrame,
  WatchRequest,
} from "@svc/protocol";
import type { Caller, Judge } from "./access/caller.ts";
import { createGate, type GateDeps } from "./access/refusal.ts";
import type { CallContext, UnaryCalls } from "./calls/unary-calls.ts";
import { StreamClosed } from "./streams/send.ts";

export interface ListenerOptions {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** Null for plain text. */
  readonly tls: ReplaceableTls["provider"] | null;
  readonly judge: Judge;
  /** How long calls in progress may take when it closes. */
  readonly graceMs: number;
}

type StreamCall<Request, Frame> = Parameters<handleServerStreamingCall<Request, Frame>>[0];

export interface ListenerDeps extends Omit<GateDeps, "judge"> {
  readonly calls: UnaryCalls;
  readonly snapshot: (call: StreamCall<SnapshotRequest, SnapshotFrame>, caller: Caller) => Promise<void>;
  readonly watch: (call: StreamCall<WatchRequest, WatchFrame>, caller: Caller) => Promise<void>;
}

export interface Listener {
  readonly port: number;
  /** Accepts nothing more, waits for calls in progress, and ends those that take too long. */
  close(): Promise<void>;
}

/** The port is in use, or the address cannot be used. */
export class ListenRefused extends Error {}

/** A request has up to 250 fires of at most 800 bytes, or names a thousand projects. */
const maxRequestBytes = 256 * 1024;
/** A schedule has up to 128 KiB of arguments. */
const maxResponseBytes = 1024 * 1024;
const maxCallsPerConnection = 1000;
const keepaliveMs = 30_000;
const keepaliveTimeoutMs = 10_000;

/** Listens for schedulers. @throws ListenRefused */
export async function openListener(options: ListenerOptions, deps: ListenerDeps): Promise<Listener> {
  // Loaded only by services that have schedulers.
  const [{ experimental, logVerbosity, Server, ServerCredentials, setLogVerbosity }, { schedulerServiceDefinition }] =
    await Promise.all([import("@grpc/grpc-js"), import("@svc/protocol/scheduler")]);
  // It would write lines of its own about errors that its callbacks report.
  setLogVerbosity(logVerbosity.NONE);
  const server = new Server({
    "grpc.max_receive_message_length": maxRequestBytes,
    "grpc.max_send_message_length": maxResponseBytes,
    "grpc.max_concurrent_streams": maxCallsPerConnection,
    // Ends the streams of clients that are no longer there.
    "grpc.keepalive_time_ms": keepaliveMs,
    "grpc.keepalive_timeout_ms": keepaliveTimeoutMs,
  });
  server.addService(schedulerServiceDefinition(), handlers(options.judge, deps));
  const { tls } = options;
  const credentials =
    tls === null
      ? ServerCredentials.createInsecure()
      : experimental.createCertificateProviderServerCredentials(tls, tls, true);
  const host = options.host.includes(":") ? `[${options.host}]` : options.host;
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync(`${host}:${options.port}`, credentials, (error, bound) => {
      if (error === null) return resolve(bound);
      const [code = error.message] = /\bE[A-Z]{3,}\b/.exec(error.message) ?? [];
      reject(new ListenRefused(`cannot listen for schedulers on ${host}:${options.port} (${code})`, { cause: error }));
    });
  });
  return { port, close: () => shutDown(server, options.graceMs) };
}

function shutDown(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timeout = setTimeout(() => server.forceShutdown(), graceMs);
    server.tryShutdown(() => {
      clearTimeout(timeout);
      resolve();
    });
  });
}

function handlers(judge: Judge, { audit, log, calls, snapshot, watch }: ListenerDeps) {
  const gate = createGate({ audit, log, judge });

  const unary =
    <Request, Response>(
      run: (request: Request, context: CallContext) => Promise<Response>,
    ): handleUnaryCall<Request, Response> =>
    (call, callback) => {
      const known: { caller: Caller | null } = { caller: null };
      const answer = async () => {
        const caller = gate.admit(call);
        known.caller = caller;
        return run(call.request, {
          caller,
          record: (refusal) => gate.record(refusal, call, caller),
          failed: (error) => gate.failed(error, call, caller),
        });
      };
      answer().then(
        (response) => callback(null, response),
        (error) => callback(gate.failed(error, call, known.caller)),
      );
    };

  const streaming =
    <Request, Frame>(
      run: (call: StreamCall<Request, Frame>, caller: Caller) => Promise<void>,
    ): handleServerStreamingCall<Request, Frame> =>
    (call) => {
      const known: { caller: Caller | null } = { caller: null };
      const answer = async () => {
        known.caller = gate.admit(call);
        await run(call, known.caller);
      };
      answer().then(
        () => call.end(),
        (error) => {
          if (error instanceof StreamClosed) call.end();
          else call.emit("error", gate.failed(error, call, known.caller));
        },
      );
    };

  return {
    Ping: unary(calls.ping),
    ListScheduleSnapshot: streaming(snapshot),
    WatchSchedules: streaming(watch),
    FireSchedule: unary((request: FireScheduleRequest, context) => calls.fire(request, context)),
    FireSchedules: unary(calls.fireMany),
    AdvanceScheduleCursor: unary(calls.advance),
    AcknowledgeFireResult: unary(calls.acknowledge),
    QuarantineSchedule: unary(calls.quarantine),
  };
}
