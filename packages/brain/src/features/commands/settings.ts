import { Type } from "typebox";
import type { SettingsCheck } from "../../platform/settings.ts";

export const commandSettings = Type.Object({
  SVC_COMMAND_TIMEOUT_SECONDS: Type.Integer({
    default: 60,
    minimum: 1,
    maximum: 86_400,
    description:
      "seconds without a result after which a command times out, counted from its creation and again from its dispatch; at least SVC_AGENT_LONGPOLL_REDISPATCH_MIN_INTERVAL_SECONDS",
  }),
  SVC_COMMAND_TIMEOUT_SWEEP_SECONDS: Type.Integer({
    default: 5,
    minimum: 1,
    maximum: 300,
    description: "interval between scans for commands that have timed out, in seconds",
  }),
  SVC_AGENT_LONGPOLL_REDISPATCH_SECONDS: Type.Integer({
    default: 60,
    minimum: 1,
    maximum: 3600,
    description:
      "seconds after its dispatch during which a command is sent again to a polling agent, if it is unacknowledged and safe to repeat",
  }),
  SVC_AGENT_LONGPOLL_REDISPATCH_MIN_INTERVAL_SECONDS: Type.Integer({
    default: 10,
    minimum: 1,
    maximum: 3600,
    description: "minimum seconds between two sends of a command; must be below SVC_AGENT_LONGPOLL_REDISPATCH_SECONDS",
  }),
  SVC_REGISTRY_RECONCILE_INTERVAL_SECONDS: Type.Integer({
    default: 30,
    minimum: 1,
    maximum: 3600,
    description:
      "interval between scans for commands that wait for connected agents, or that they did not acknowledge, in seconds; covers lost notifications",
  }),
  SVC_HISTORY_RETENTION_DAYS: Type.Integer({
    default: 90,
    minimum: 1,
    maximum: 3650,
    description:
      "days to keep finished commands, inactive bulk retries, expired invitations and security history entries",
  }),
});

/** Makes sure that a command can be sent again before it times out. */
export const checkRedispatch: SettingsCheck = (values, fault) => {
  const interval = values.SVC_AGENT_LONGPOLL_REDISPATCH_MIN_INTERVAL_SECONDS as number;
  if (interval >= (values.SVC_AGENT_LONGPOLL_REDISPATCH_SECONDS as number)) {
    fault("SVC_AGENT_LONGPOLL_REDISPATCH_MIN_INTERVAL_SECONDS", "must be below SVC_AGENT_LONGPOLL_REDISPATCH_SECONDS");
  }
  if ((values.SVC_COMMAND_TIMEOUT_SECONDS as number) < interval) {
    fault("SVC_COMMAND_TIMEOUT_SECONDS", "must not be below SVC_AGENT_LONGPOLL_REDISPATCH_MIN_INTERVAL_SECONDS");
  }
};
