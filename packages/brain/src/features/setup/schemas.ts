import { type Static, Type } from "typebox";
import { Described, Line, Nullable, Uuid } from "../../platform/http/schemas.ts";
import { Email, NewPassword, UserPublic } from "../users/index.ts";

export const SetupBody = Type.Object(
  {
    token: Type.String({
      minLength: 10,
      maxLength: 200,
      description: "from the one-time link that the service printed",
    }),
    email: Described(Email, "address that the administrator signs in with"),
    display_name: Type.Optional(Nullable(Line(200), "name shown to others")),
    password: Described(NewPassword, "must meet the password policy"),
  },
  { title: "SetupRequest" },
);
export type SetupBody = Static<typeof SetupBody>;

export const SetupAnswer = Type.Object(
  { user: UserPublic, project_id: Described(Uuid, "id of the first project") },
  { title: "SetupDone", description: "The first administrator and the first project." },
);
export const SetupStatus = Type.Object(
  { first_boot: Type.Boolean({ description: "true until the first account exists" }) },
  { title: "SetupStatus", description: "Whether the setup is open." },
);
