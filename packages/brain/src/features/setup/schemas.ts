import { type Static, Type } from "typebox";
import { Line, Nullable, Uuid } from "../../platform/http/schemas.ts";
import { Email, NewPassword, UserPublic } from "../users/index.ts";

export const SetupBody = Type.Object(
  {
    token: Type.String({ minLength: 10, maxLength: 200 }),
    email: Email,
    display_name: Type.Optional(Nullable(Line(200))),
    password: NewPassword,
  },
  { title: "SetupRequest" },
);
export type SetupBody = Static<typeof SetupBody>;

export const SetupAnswer = Type.Object(
  { user: UserPublic, project_id: Uuid },
  { title: "SetupDone", description: "The first administrator and the first project." },
);
export const SetupStatus = Type.Object(
  { first_boot: Type.Boolean() },
  { title: "SetupStatus", description: "Whether the setup is open." },
);
