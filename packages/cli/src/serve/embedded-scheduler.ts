import type { StartOptions } from "@svc/brain";

type StartScheduler = NonNullable<StartOptions["startScheduler"]>;

/** Starts schedulers inside `svc serve`, with the SVC_SCHEDULER_ settings of these sources except for the connection and the leader. */
export const embeddedScheduler =
  (sources: Pick<StartOptions, "env" | "cwd">): StartScheduler =>
  async ({ target, certificatePath, keyPath, authorityPath, log, graceMs }) => {
    // Loaded only when one starts.
    const [{ SettingsError }, { loadProcessSettings }, scheduler] = await Promise.all([
      import("@svc/brain"),
      import("@svc/brain/process-settings"),
      import("@svc/scheduler"),
    ]);
    const { values, sources: origins } = loadProcessSettings(scheduler.schedulerSettings, [], sources);
    const { SVC_SCHEDULER_LEADER_PG_DSN: _unused, ...given } = values;
    // Two services on one machine must not compete for a port unless it is configured.
    const isChosen = origins.get("SVC_SCHEDULER_BIND_PORT") !== "default";
    const settings = {
      ...given,
      SVC_SCHEDULER_BRAIN_GRPC_URL: target,
      SVC_SCHEDULER_TLS_CERT: certificatePath,
      SVC_SCHEDULER_TLS_KEY: keyPath,
      SVC_SCHEDULER_TLS_CA: authorityPath,
      SVC_SCHEDULER_INSECURE_GRPC: false,
      SVC_SCHEDULER_LEADER_BACKEND: "single",
      SVC_SCHEDULER_BIND_PORT: isChosen ? given.SVC_SCHEDULER_BIND_PORT : 0,
    } as const;
    try {
      return await scheduler.startScheduler({ settings, log, graceMs });
    } catch (cause) {
      if (!(cause instanceof scheduler.SchedulerSettingsError)) throw cause;
      throw new SettingsError(
        cause.faults.map((fault) => ({ ...fault, source: origins.get(fault.name) ?? "default" })),
      );
    }
  };
