import { operation, type Routes } from "../../platform/http/app.ts";
import { originOf } from "../audit/index.ts";
import type { PasswordReset } from "./password-reset.ts";
import { ConfirmAnswer, ConfirmBody, RequestAnswer, RequestBody } from "./schemas.ts";

export const passwordResetRoutes: Routes<{ passwordReset: PasswordReset }> = (app, { passwordReset }) => {
  operation(app, "POST /auth/password-reset/request", {
    operationId: "requestPasswordReset",
    summary: "Request a password reset",
    description: "Mails a reset link when the address has an account. The response is the same when it has none.",
    body: RequestBody,
    response: { 200: RequestAnswer },
    policy: { tag: "auth", public: true, bucket: "password-reset" },
    handler: async (request) => {
      passwordReset.request({ email: request.body.email, origin: originOf(request) });
      return { accepted: true as const };
    },
  });

  operation(app, "POST /auth/password-reset/confirm", {
    operationId: "confirmPasswordReset",
    summary: "Set a new password with a reset token",
    description: "Sets a new password and ends all sessions, trusted devices and API keys of the account.",
    body: ConfirmBody,
    response: { 200: ConfirmAnswer },
    policy: { tag: "auth", public: true, bucket: "password-reset" },
    handler: async (request) => {
      const { token, new_password: newPassword } = request.body;
      await passwordReset.confirm({ token, newPassword, origin: originOf(request) });
      return { success: true as const };
    },
  });
};
