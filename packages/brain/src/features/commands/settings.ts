import { Type } from "typebox";

export const commandSettings = Type.Object({
  SVC_COMMAND_TIMEOUT_SECONDS: Type.Integer({
    default: 60,
    minimum: 1,
    maximum: 86_400,
    description:
      "seconds until a command without a result times out, counted from its issue and again from its dispatch",
  }),
  SVC_HISTORY_RETENTION_DAYS: Type.Integer({
    default: 90,
    minimum: 1,
    maximum: 3650,
    description: "days a command is kept after its end",
  }),
});
