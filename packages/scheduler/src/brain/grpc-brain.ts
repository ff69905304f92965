import {
  type ChannelCredentials,
  Client,
  type ClientReadableStream,
  credentials,
  experimental,
  Metadata,
  type MethodDefinition,
  type ServiceError,
  status,
} from "@grpc/grpc-js";
import { schedulerServiceDefinition } from "@svc/protocol/scheduler";
import { type Brain, BrainFault } from "./brain.ts";
import type { Certificates } from "./certificates.ts";
import { groupFires } from "./group-fires.ts";

export interface GrpcBrainOptions {
  /** `host:port`. */
  readonly target: string;
  /** Closed with the connection; null for plain text. */
  readonly tls: Certificates | null;
  readonly keepaliveMs: number;
  readonly maxBackoffMs: number;
}

const keepaliveTimeoutMs = 10_000;
const firstReconnectMs = 200;

/** A repeated call cannot succeed before someone changes a certificate, a right or a version. */
const refusals: ReadonlySet<number> = new Set([
  status.INVALID_ARGUMENT,
  status.NOT_FOUND,
  status.PERMISSION_DENIED,
  status.UNAUTHENTICATED,
  status.UNIMPLEMENTED,
  status.FAILED_PRECONDITION,
]);

/** The service over gRPC. Connects at the first call, and again whenever the connection is lost. */
export function connectBrain({ target, tls, keepaliveMs, maxBackoffMs }: GrpcBrainOptions): Brain {
  const methods = schedulerServiceDefinition();
  const client = new Client(target, channelCredentials(tls), {
    "grpc.keepalive_time_ms": keepaliveMs,
    "grpc.keepalive_timeout_ms": keepaliveTimeoutMs,
    "grpc.keepalive_permit_without_calls": 1,
    "grpc.initial_reconnect_backoff_ms": Math.min(firstReconnectMs, maxBackoffMs),
    "grpc.max_reconnect_backoff_ms": maxBackoffMs,
    // The scheduler repeats calls on its own.
    "grpc.enable_retries": 0,
    // Mutual TLS ends at the service; a proxy of the environment is for other hosts.
    "grpc.enable_http_proxy": 0,
    "grpc.use_local_subchannel_pool": 1,
  });

  function unary<Request, Response>(name: string) {
    const method = methods[name] as unknown as MethodDefinition<Request, Response>;
    return (request: Request, timeoutMs: number): Promise<Response> =>
      new Promise((resolve, reject) => {
        client.makeUnaryRequest<Request, Response>(
          method.path,
          method.requestSerialize,
          method.responseDeserialize,
          request,
          { deadline: Date.now() + timeoutMs },
          (fault, response) => {
            if (fault === null && response !== undefined) resolve(response);
            else reject(faultOf(fault));
          },
        );
      });
  }

  function streaming<Request, Frame>(name: string) {
    const method = methods[name] as unknown as MethodDefinition<Request, Frame>;
    return (request: Request, signal: AbortSignal): AsyncIterable<Frame> =>
      readFrames(
        () =>
          client.makeServerStreamRequest<Request, Frame>(
            method.path,
            method.requestSerialize,
            method.responseDeserialize,
            request,
            new Metadata(),
          ),
        signal,
      );
  }

  const ping = unary<object, Awaited<ReturnType<Brain["ping"]>>>("Ping");
  return {
    ping: (timeoutMs) => ping({}, timeoutMs),
    snapshot: streaming("ListScheduleSnapshot"),
    watch: streaming("WatchSchedules"),
    fire: groupFires(unary("FireSchedules"), ({ code, message }) => statusFault(code, message)),
    advance: unary("AdvanceScheduleCursor"),
    quarantine: unary("QuarantineSchedule"),
    close() {
      client.close();
      tls?.close();
    },
  };
}

function channelCredentials(tls: GrpcBrainOptions["tls"]): ChannelCredentials {
  if (tls === null) return credentials.createInsecure();
  return experimental.createCertificateProviderChannelCredentials(tls.provider, tls.provider);
}

async function* readFrames<Frame>(
  open: () => ClientReadableStream<Frame>,
  signal: AbortSignal,
): AsyncGenerator<Frame, void, undefined> {
  if (signal.aborted) throw new BrainFault("the stream was closed", true);
  const stream = open();
  const cancel = () => stream.cancel();
  signal.addEventListener("abort", cancel, { once: true });
  // A cancelled call reports its end once more, when nothing reads the stream any longer.
  stream.on("error", () => {});
  try {
    for await (const frame of stream) yield frame as Frame;
  } catch (fault) {
    throw signal.aborted ? new BrainFault("the stream was silent or was closed", true) : faultOf(fault);
  } finally {
    signal.removeEventListener("abort", cancel);
    stream.cancel();
  }
}

function faultOf(fault: unknown): BrainFault {
  const { code, details, message } = fault as Partial<ServiceError>;
  if (code === undefined) return new BrainFault(message ?? "the service did not answer", true, { cause: fault });
  return statusFault(code, details !== undefined && details !== "" ? details : (message ?? ""), fault);
}

const statusFault = (code: number, text: string, cause?: unknown): BrainFault =>
  new BrainFault(`${status[code]}: ${text}`, !refusals.has(code), { cause });
