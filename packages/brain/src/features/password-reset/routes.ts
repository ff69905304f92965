import type { Routes } from "../../platform/http/app.ts";
import { originOf } from "../audit/index.ts";
import type { PasswordReset } from "./password-reset.ts";
import { ConfirmAnswer, ConfirmBody, RequestAnswer, RequestBody } from "./schemas.ts";

export const passwordResetRoutes: Routes<{ passwordReset: PasswordReset }> = (app, { passwordReset }) => {
  app.post(
    "/auth/password-reset/request",
    {
      schema: { body: RequestBody, response: { 200: RequestAnswer } },
      config: { tag: "auth", public: true, bucket: "password-reset" },
    },
    async (request) => {
      passwordReset.request({ email: request.body.email, origin: originOf(request, null) });
      return { accepted: true as const };
    },
  );

  app.post(
    "/auth/password-reset/confirm",
    {
      schema: { body: ConfirmBody, response: { 200: ConfirmAnswer } },
      config: { tag: "auth", public: true, bucket: "password-reset" },
    },
    async (request) => {
      const { token, new_password: newPassword } = request.body;
      await passwordReset.confirm({ token, newPassword, origin: originOf(request, null) });
      return { success: true as const };
    },
  );
};
