import { Type } from "typebox";
import { Described } from "../../platform/http/schemas.ts";
import { NewPassword } from "../users/index.ts";

/** The format is not checked: an impossible address is an unknown one, and gets the same answer. */
export const RequestBody = Type.Object(
  { email: Type.String({ maxLength: 320, description: "address of the account" }) },
  { title: "PasswordResetRequest" },
);

export const RequestAnswer = Type.Object(
  { accepted: Type.Literal(true, { description: "always true" }) },
  {
    title: "PasswordResetAccepted",
    description: "The request was accepted, whether or not the address has an account.",
  },
);

export const ConfirmBody = Type.Object(
  {
    token: Type.String({ minLength: 10, maxLength: 256, description: "from the link in the mail" }),
    new_password: Described(NewPassword, "must meet the password policy"),
  },
  { title: "PasswordResetConfirm" },
);

export const ConfirmAnswer = Type.Object(
  { success: Type.Literal(true, { description: "always true" }) },
  { title: "PasswordResetDone", description: "The new password is set." },
);
