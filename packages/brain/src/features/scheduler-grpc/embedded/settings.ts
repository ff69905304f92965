import { Type } from "typebox";
import type { SettingsCheck } from "../../../platform/settings.ts";

/** The scheduler that runs inside the service. */
export const embeddedSchedulerSettings = Type.Object({
  SVC_EMBEDDED_SCHEDULER: Type.Optional(
    Type.Boolean({
      description:
        "run a scheduler inside the service. If it is not set, one runs on SQLite, and none on PostgreSQL. Requires a single process",
    }),
  ),
  SVC_EMBEDDED_SCHEDULER_PKI_DIR: Type.String({
    default: "$HOME/embedded-pki",
    minLength: 1,
    description: "folder for the certificates of the embedded scheduler, created with mode 0700; $HOME is SVC_HOME",
  }),
  SVC_EMBEDDED_SCHEDULER_RESTART_MAX_ATTEMPTS: Type.Integer({
    default: 10,
    minimum: 0,
    maximum: 1000,
    description: "attempts to start the embedded scheduler again after it failed to start",
  }),
  SVC_EMBEDDED_SCHEDULER_RESTART_BACKOFF_SECONDS: Type.Number({
    default: 2,
    minimum: 0.1,
    maximum: 300,
    description: "pause before the first of these attempts in seconds, doubled for each further one up to 300",
  }),
  SVC_EMBEDDED_SCHEDULER_SHUTDOWN_GRACE_SECONDS: Type.Number({
    default: 10,
    minimum: 0,
    maximum: 60,
    description: "seconds that open fires of the embedded scheduler may take when the service stops",
  }),
});

/** For processes that share one port: each would run a scheduler of its own. */
export const checkEmbeddedScheduler: SettingsCheck = (values, fault) => {
  if (values.SVC_EMBEDDED_SCHEDULER === true) {
    fault("SVC_EMBEDDED_SCHEDULER", "must not be true for several workers; run svc scheduler serve instead");
  }
};
