import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { promisify } from "node:util";
import { waitFor } from "../wait-for.ts";
import { builtProgram, plainEnvironment } from "./built-program.ts";
import { killProcess } from "./kill-process.ts";

const run = promisify(execFile);
/** Schedulers connect to this name, so it is the name of the service's certificate. */
const serviceName = "localhost";

/** Settings for both ends of the connection between a service and its schedulers. */
export interface SchedulerConnection {
  /** For `svc serve`: its gRPC listener. It accepts only the scheduler of this certificate. */
  readonly brain: Readonly<Record<string, string>>;
  /** For `svc scheduler serve`. */
  readonly scheduler: Readonly<Record<string, string>>;
}

/** Issues both certificates with `svc mint-scheduler-cert`, for a gRPC listener on this port. */
export async function mintSchedulerConnection(folder: string, port: number): Promise<SchedulerConnection> {
  const env = { ...plainEnvironment, HOME: folder };
  const schedulerName = "scheduler-1";
  for (const name of [serviceName, schedulerName]) {
    const words = [builtProgram, "mint-scheduler-cert", "--name", name, "--out-dir", folder];
    await run(process.execPath, words, { cwd: folder, env });
  }
  const files = (prefix: string, name: string) => ({
    [`${prefix}_TLS_CERT`]: join(folder, `${name}.pem`),
    [`${prefix}_TLS_KEY`]: join(folder, `${name}.key`),
    [`${prefix}_TLS_CA`]: join(folder, "ca.pem"),
  });
  return {
    brain: {
      SVC_EMBEDDED_SCHEDULER: "false",
      SVC_SCHEDULER_GRPC_ENABLED: "true",
      SVC_SCHEDULER_GRPC_BIND_PORT: String(port),
      SVC_SCHEDULER_GRPC_ALLOWED_CNS: schedulerName,
      ...files("SVC_SCHEDULER_GRPC", serviceName),
    },
    scheduler: {
      SVC_SCHEDULER_BRAIN_GRPC_URL: `${serviceName}:${port}`,
      ...files("SVC_SCHEDULER", schedulerName),
    },
  };
}

/** What /info of a scheduler returns, as far as tests read it. */
export interface SchedulerInfo {
  readonly instance_id: string;
  readonly leader: boolean;
  readonly watch_healthy: boolean;
}

export type SchedulerProcess = Awaited<ReturnType<typeof startSchedulerProcess>>;

/** `svc scheduler serve` in a separate process that a test can kill. Resolves when it serves its state. */
export async function startSchedulerProcess({
  folder,
  port,
  env,
}: {
  /** Working folder and home folder. */
  readonly folder: string;
  /** Of its status server. */
  readonly port: number;
  readonly env: Readonly<Record<string, string>>;
}) {
  const child = spawn(process.execPath, [builtProgram, "scheduler", "serve"], {
    cwd: folder,
    env: {
      ...plainEnvironment,
      HOME: folder,
      SVC_LOG_LEVEL: "warn",
      SVC_SCHEDULER_BIND_PORT: String(port),
      SVC_SCHEDULER_GRPC_RECONNECT_BACKOFF_MAX_SECONDS: "1",
      ...env,
    },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const dieWithUs = () => child.kill("SIGKILL");
  process.once("exit", dieWithUs);
  child.once("exit", () => process.removeListener("exit", dieWithUs));
  let printed = "";
  child.stderr.on("data", (chunk: Buffer) => {
    printed = `${printed}${chunk.toString("utf8")}`.slice(-4000);
  });
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  try {
    await waitFor(() => hasEnded() || printed.includes("is ready"), { that: "the scheduler process" });
    if (hasEnded()) throw new Error(`the scheduler ended with ${child.exitCode}: ${printed}`);
  } catch (fault) {
    await killProcess(child);
    throw fault;
  }
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    info: async (): Promise<SchedulerInfo> => (await (await fetch(`${url}/info`)).json()) as SchedulerInfo,
    /** SIGKILL: no handler runs. Resolves when the process has ended. */
    kill: () => killProcess(child),
    /** SIGTERM; resolves when the process has ended. */
    async stop(): Promise<void> {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, "exit");
      child.kill("SIGTERM");
      await exited;
    },
  };
}
