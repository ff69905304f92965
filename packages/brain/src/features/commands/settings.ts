import { Type } from "typebox";
import type { SettingsCheck } from "../../platform/settings.ts";

export const commandSettings = Type.Object({
  SVC_COMMAND_TIMEOUT_SECONDS: Type.Integer({
    default: 60,
    minimum: 1,
    maximum: 86_400,
    description:
      "seconds until a command without a result times out, counted from its issue and again from its dispatch",
  }),
  SVC_COMMAND_TIMEOUT_SWEEP_SECONDS: Type.Integer({
    default: 5,
    minimum: 1,
    maximum: 300,
    description: "seconds between two looks for commands whose time is over",
  }),
  SVC_AGENT_LONGPOLL_REDISPATCH_SECONDS: Type.Integer({
    default: 60,
    minimum: 1,
    maximum: 3600,
    description:
      "seconds after its dispatch in which a poll of the agent may be given an unacknowledged command again, where repeating it does no harm",
  }),
  SVC_AGENT_LONGPOLL_REDISPATCH_MIN_INTERVAL_SECONDS: Type.Integer({
    default: 10,
    minimum: 1,
    maximum: 3600,
    description: "seconds between two sends of one command; below SVC_AGENT_LONGPOLL_REDISPATCH_SECONDS",
  }),
  SVC_REGISTRY_RECONCILE_INTERVAL_SECONDS: Type.Integer({
    default: 30,
    minimum: 1,
    maximum: 3600,
    description:
      "seconds between two looks for commands that wait for the agents connected here, in case word of them was lost",
  }),
  SVC_HISTORY_RETENTION_DAYS: Type.Integer({
    default: 90,
    minimum: 1,
    maximum: 3650,
    description:
      "days a command is kept after its end, an invitation after its last day, and an entry of a security history",
  }),
});

/** A command is sent again at all, and before its time is over. */
export const checkRedispatch: SettingsCheck = (values, fault) => {
  const interval = values.SVC_AGENT_LONGPOLL_REDISPATCH_MIN_INTERVAL_SECONDS as number;
  if (interval >= (values.SVC_AGENT_LONGPOLL_REDISPATCH_SECONDS as number)) {
    fault("SVC_AGENT_LONGPOLL_REDISPATCH_MIN_INTERVAL_SECONDS", "must be below SVC_AGENT_LONGPOLL_REDISPATCH_SECONDS");
  }
  if ((values.SVC_COMMAND_TIMEOUT_SECONDS as number) < interval) {
    fault("SVC_COMMAND_TIMEOUT_SECONDS", "must not be below SVC_AGENT_LONGPOLL_REDISPATCH_MIN_INTERVAL_SECONDS");
  }
};
