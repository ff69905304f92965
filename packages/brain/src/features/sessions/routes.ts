import { Type } from "typebox";
import { operation, type Routes } from "../../platform/http/app.ts";
import type { Cookies } from "../../platform/http/headers/cookies.ts";
import { originOf } from "../audit/index.ts";
import { ProfileBody, UserPublic } from "../users/index.ts";
import { clearSessionCookies, sendSessionCookies } from "./issue-session.ts";
import {
  ChangePasswordBody,
  LoginAnswer,
  LoginBody,
  MeAnswer,
  PolicyAnswer,
  RevokedCount,
  RevokedOne,
  SessionList,
  SessionParams,
} from "./schemas.ts";
import type { Sessions } from "./sessions.ts";

export const sessionRoutes: Routes<{ sessions: Sessions; cookies: Cookies }> = (app, { sessions, cookies }) => {
  operation(app, "POST /auth/login", {
    operationId: "login",
    summary: "Sign in",
    description:
      "Signs in with email and password and sets the session cookies. A wrong password, an unknown address and a locked account get the same response. With `mfa_required` the session is limited until `verifyMfa`.",
    answers: {
      200: { headers: { "Set-Cookie": "Session cookie, CSRF cookie and device cookie." } },
      401: "The credentials are wrong, or the account is locked.",
    },
    body: LoginBody,
    response: { 200: LoginAnswer },
    policy: { tag: "auth", public: true, bucket: "login" },
    handler: async (request, reply) => {
      const { email, password, remember_me: isRemembered = false } = request.body;
      const presentedCookie = request.cookies[cookies.session.name];
      const { answer, session } = await sessions.login({
        ...{ email, password, isRemembered, presentedCookie },
        trustCookie: request.cookies[cookies.mfaTrust.name],
        deviceCookie: request.cookies[cookies.device.name],
        origin: originOf(request),
      });
      sendSessionCookies(reply, cookies, session);
      return answer;
    },
  });

  operation(app, "POST /auth/logout", {
    operationId: "logout",
    summary: "Sign out",
    description: "Ends the session and clears its cookies.",
    answers: { 204: { description: "Signed out.", headers: { "Set-Cookie": "Clears the session cookies." } } },
    response: { 204: Type.Null() },
    policy: { tag: "auth", beforeMfa: true, beforeEnrollment: true },
    handler: async (request, reply) => {
      await sessions.logout(request.sessionActor, originOf(request));
      clearSessionCookies(reply, cookies);
    },
  });

  operation(app, "GET /auth/me", {
    operationId: "getMe",
    summary: "Get your account",
    description: "Returns your account, your memberships and when the session ends.",
    response: { 200: MeAnswer },
    policy: { tag: "auth", beforeMfa: true, beforeEnrollment: true },
    handler: (request) => sessions.me(request.sessionActor),
  });

  operation(app, "PATCH /auth/me", {
    operationId: "updateMe",
    summary: "Change your account",
    description: "Changes your names or your time zone. Other keys are ignored.",
    body: ProfileBody,
    response: { 200: UserPublic },
    policy: { tag: "auth" },
    handler: (request) => sessions.updateMe(request.sessionActor, request.body, originOf(request)),
  });

  operation(app, "POST /auth/change-password", {
    operationId: "changePassword",
    summary: "Change your password",
    description:
      "Sets a new password. All other sessions and all trusted devices end; this session continues with new cookies.",
    answers: { 200: { headers: { "Set-Cookie": "Session cookie, CSRF cookie and device cookie." } } },
    body: ChangePasswordBody,
    response: { 200: LoginAnswer },
    policy: { tag: "auth", bucket: "mfa", freshMfa: true },
    handler: async (request, reply) => {
      const actor = request.sessionActor;
      const { current_password: currentPassword, new_password: newPassword } = request.body;
      const revokesKeys = request.body.revoke_api_keys === true;
      const origin = originOf(request);
      const { answer, session } = await sessions.changePassword({
        actor,
        currentPassword,
        newPassword,
        revokesKeys,
        origin,
      });
      sendSessionCookies(reply, cookies, session);
      if (request.cookies[cookies.mfaTrust.name] !== undefined)
        reply.clearCookie(cookies.mfaTrust.name, cookies.mfaTrust.attributes);
      return answer;
    },
  });

  operation(app, "GET /auth/policy", {
    operationId: "getPasswordPolicy",
    summary: "Get the password policy",
    description: "Returns the rules that a new password must meet.",
    response: { 200: PolicyAnswer },
    policy: { tag: "auth" },
    handler: () => sessions.policy(),
  });

  operation(app, "GET /auth/sessions", {
    operationId: "listSessions",
    summary: "List your sessions",
    description: "Lists your sessions that have not ended.",
    response: { 200: SessionList },
    policy: { tag: "auth" },
    handler: async (request) => ({
      items: await sessions.list(request.sessionActor),
    }),
  });

  operation(app, "POST /auth/sessions/:session_id/revoke", {
    operationId: "revokeSession",
    summary: "End a session",
    description: "Ends one of your sessions.",
    params: SessionParams,
    response: { 200: RevokedOne },
    policy: { tag: "auth" },
    handler: async (request) => {
      const actor = request.sessionActor;
      return { revoked: await sessions.revoke(actor, request.params.session_id, originOf(request)) };
    },
  });

  operation(app, "POST /auth/sessions/revoke-others", {
    operationId: "revokeOtherSessions",
    summary: "End all other sessions",
    description: "Ends all your sessions except this one and returns their number.",
    response: { 200: RevokedCount },
    policy: { tag: "auth" },
    handler: async (request) => {
      const actor = request.sessionActor;
      return { revoked: await sessions.revokeOthers(actor, originOf(request)) };
    },
  });
};
