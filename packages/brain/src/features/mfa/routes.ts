import { Type } from "typebox";
import { operation, type Routes } from "../../platform/http/app.ts";
import type { CookieAttributes, Cookies } from "../../platform/http/headers/cookies.ts";
import { originOf } from "../audit/index.ts";
import type { Mfa } from "./mfa.ts";
import {
  DeviceParams,
  DisableAnswer,
  DisableBody,
  EnrollCompleteBody,
  EnrollStarted,
  MfaStatus,
  RecoveryCodes,
  RenameBody,
  StepUpAnswer,
  StepUpBody,
  TrustBody,
  TrustedDevice,
  TrustedDeviceList,
  VerifyAnswer,
  VerifyBody,
} from "./schemas.ts";
import type { NewDevice } from "./trusted-devices/trusted-devices.ts";

export const mfaRoutes: Routes<{ mfa: Mfa; cookies: Cookies }> = (app, { mfa, cookies }) => {
  const { name, attributes } = cookies.mfaTrust;
  const trustCookieOf = (request: { cookies: Record<string, string | undefined> }) => request.cookies[name];

  // A user without an active factor needs no fresh one, so these routes allow a first enrollment but stop a stolen session.
  operation(app, "POST /auth/mfa/enroll-start", {
    operationId: "startMfaEnrollment",
    summary: "Start setting up a second factor",
    description:
      "Creates a secret for an authenticator app. Each call creates another one; an active factor stays until the new one is confirmed.",
    response: { 200: EnrollStarted },
    policy: { tag: "mfa", bucket: "mfa", freshMfa: true, stepUp: true, beforeEnrollment: true },
    handler: (request) => mfa.enrollStart(request.sessionActor),
  });

  operation(app, "POST /auth/mfa/enroll-complete", {
    operationId: "completeMfaEnrollment",
    summary: "Confirm a second factor",
    description:
      "Confirms the secret with a code of the app and returns recovery codes, which are shown only in this answer.",
    answers: { 409: "No enrollment was started (`enrollment_not_started`)." },
    body: EnrollCompleteBody,
    response: { 200: RecoveryCodes },
    policy: { tag: "mfa", bucket: "mfa", freshMfa: true, beforeEnrollment: true },
    handler: async (request) => {
      const actor = request.sessionActor;
      const origin = originOf(request);
      return { recovery_codes: [...(await mfa.enrollComplete({ actor, code: request.body.code, origin }))] };
    },
  });

  operation(app, "POST /auth/mfa/verify", {
    operationId: "verifyMfa",
    summary: "Verify the second factor",
    description: "Verifies the session with a code of the app or a recovery code.",
    answers: {
      200: { headers: { "Set-Cookie": "With `remember_device`: cookie of the trusted device." } },
      409: "The account has no second factor (`not_enrolled`).",
    },
    body: VerifyBody,
    response: { 200: VerifyAnswer },
    policy: { tag: "mfa", bucket: "mfa", beforeMfa: true },
    handler: async (request, reply) => {
      const actor = request.sessionActor;
      const { code, remember_device: remembersDevice = false } = request.body;
      const [trustCookie, origin] = [trustCookieOf(request), originOf(request)];
      const verified = await mfa.verify({ actor, code, remembersDevice, trustCookie, origin });
      if (verified.device !== null) sendTrustCookie(reply, cookies, verified.device);
      return {
        ok: true,
        used_recovery_code: verified.usedRecoveryCode,
        remaining_recovery_codes: verified.remainingRecoveryCodes,
      };
    },
  });

  operation(app, "POST /auth/step-up", {
    operationId: "stepUp",
    summary: "Prove your identity again",
    description:
      "Confirms the user of the session with the password, or with a code when there is a second factor. Operations marked `x-svc-step-up` need this from the last 15 minutes.",
    body: StepUpBody,
    response: { 200: StepUpAnswer },
    // A session that waits for its code must not use the password instead, so this route is closed until then.
    policy: { tag: "mfa", bucket: "mfa", beforeEnrollment: true },
    handler: async (request) => {
      const actor = request.sessionActor;
      await mfa.stepUp({ actor, body: request.body, origin: originOf(request) });
      return { ok: true };
    },
  });

  operation(app, "POST /auth/mfa/disable", {
    operationId: "disableMfa",
    summary: "Remove the second factor",
    description: "Removes the second factor, the recovery codes and all trusted devices of your account.",
    answers: { 409: "The account has no second factor (`not_enrolled`)." },
    body: DisableBody,
    response: { 200: DisableAnswer },
    policy: { tag: "mfa", bucket: "mfa" },
    handler: async (request) => {
      const actor = request.sessionActor;
      const { password, code } = request.body;
      await mfa.disable({ actor, password, code, origin: originOf(request) });
      return { ok: true };
    },
  });

  operation(app, "POST /auth/mfa/recovery-codes/regenerate", {
    operationId: "regenerateRecoveryCodes",
    summary: "Replace the recovery codes",
    description: "Returns new recovery codes, shown only in this answer. The old ones stop working.",
    answers: { 409: "The account has no second factor (`not_enrolled`)." },
    response: { 200: RecoveryCodes },
    policy: { tag: "mfa", freshMfa: true, stepUp: true },
    handler: async (request) => {
      const actor = request.sessionActor;
      return { recovery_codes: [...(await mfa.regenerateCodes(actor, originOf(request)))] };
    },
  });

  operation(app, "GET /auth/mfa/status", {
    operationId: "getMfaStatus",
    summary: "Get the state of the second factor",
    description: "Returns whether you have a second factor and whether one is required.",
    response: { 200: MfaStatus },
    policy: { tag: "mfa", beforeMfa: true, beforeEnrollment: true },
    handler: (request) => mfa.status(request.sessionActor),
  });

  operation(app, "GET /auth/mfa/trusted-devices", {
    operationId: "listTrustedDevices",
    summary: "List trusted devices",
    description: "Lists the browsers that do not ask you for a code, and those whose trust was revoked.",
    response: { 200: TrustedDeviceList },
    policy: { tag: "mfa" },
    handler: async (request) => ({ items: await mfa.devices.list(request.sessionActor, trustCookieOf(request)) }),
  });

  operation(app, "POST /auth/mfa/trusted-devices", {
    operationId: "trustDevice",
    summary: "Trust this browser",
    description: "Makes the browser of the request a trusted device. Without a label it is named after its user agent.",
    answers: {
      201: { headers: { "Set-Cookie": "Cookie of the trusted device." } },
      409: "The account has no second factor (`not_enrolled`).",
    },
    body: TrustBody,
    response: { 201: TrustedDevice },
    policy: { tag: "mfa", freshMfa: true, stepUp: true },
    handler: async (request, reply) => {
      const actor = request.sessionActor;
      const trusted = await mfa.devices.trust({
        userId: actor.user.id,
        label: request.body?.label,
        trustCookie: trustCookieOf(request),
        origin: originOf(request),
      });
      sendTrustCookie(reply, cookies, trusted);
      return trusted.device;
    },
  });

  operation(app, "PATCH /auth/mfa/trusted-devices/:device_id", {
    operationId: "renameTrustedDevice",
    summary: "Rename a trusted device",
    description: "Changes the label of a trusted device.",
    params: DeviceParams,
    body: RenameBody,
    response: { 200: TrustedDevice },
    policy: { tag: "mfa", freshMfa: true },
    handler: (request) =>
      mfa.devices.rename(request.sessionActor, {
        id: request.params.device_id,
        label: request.body.label,
        trustCookie: trustCookieOf(request),
        origin: originOf(request),
      }),
  });

  operation(app, "POST /auth/mfa/trusted-devices/:device_id/revoke", {
    operationId: "revokeTrustedDevice",
    summary: "Revoke a trusted device",
    description: "Ends the trust in a browser. The next sign-in from it requires a code.",
    params: DeviceParams,
    response: { 204: Type.Null() },
    policy: { tag: "mfa", freshMfa: true },
    handler: async (request, reply) => {
      const isOwn = await mfa.devices.revoke(request.sessionActor, {
        id: request.params.device_id,
        trustCookie: trustCookieOf(request),
        origin: originOf(request),
      });
      if (isOwn) reply.clearCookie(name, attributes);
    },
  });
};

interface CookieReply {
  setCookie(name: string, value: string, options: CookieAttributes & { maxAge: number }): unknown;
}

function sendTrustCookie(reply: CookieReply, { mfaTrust }: Cookies, { cookie, keepSeconds }: NewDevice): void {
  reply.setCookie(mfaTrust.name, cookie, { ...mfaTrust.attributes, maxAge: keepSeconds });
}
