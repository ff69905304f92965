import { Type } from "typebox";
import { NewPassword } from "../users/index.ts";

/** Not checked for form: an impossible address is an unknown one, and gets the same answer. */
export const RequestBody = Type.Object({ email: Type.String({ maxLength: 320 }) }, { title: "PasswordResetRequest" });

export const RequestAnswer = Type.Object(
  { accepted: Type.Literal(true) },
  {
    title: "PasswordResetAccepted",
    description: "The request was accepted, whether or not the address has an account.",
  },
);

export const ConfirmBody = Type.Object(
  {
    token: Type.String({ minLength: 10, maxLength: 256 }),
    new_password: NewPassword,
  },
  { title: "PasswordResetConfirm" },
);

export const ConfirmAnswer = Type.Object(
  { success: Type.Literal(true) },
  { title: "PasswordResetDone", description: "The new password is set." },
);
