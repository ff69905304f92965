import { Type } from "typebox";
import type { Actor, SessionActor } from "../../platform/http/access/actor.ts";
import type { Routes } from "../../platform/http/app.ts";
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
  app.post(
    "/auth/login",
    {
      schema: {
        operationId: "login",
        summary: "Sign in",
        description:
          "Signs in with e-mail and password and sets the session cookies. A wrong password, an unknown address and a locked account look the same. With `mfa_required` the session is limited until `verifyMfa`.",
        answers: {
          200: { headers: { "Set-Cookie": "Session cookie, CSRF cookie and device cookie." } },
          401: "The credentials are wrong, or the account is locked.",
        },
        body: LoginBody,
        response: { 200: LoginAnswer },
      },
      config: { tag: "auth", public: true, bucket: "login" },
    },
    async (request, reply) => {
      const { email, password, remember_me: isRemembered = false } = request.body;
      const presentedCookie = request.cookies[cookies.session.name];
      const { answer, session } = await sessions.login({
        ...{ email, password, isRemembered, presentedCookie },
        trustCookie: request.cookies[cookies.mfaTrust.name],
        deviceCookie: request.cookies[cookies.device.name],
        origin: originOf(request, null),
      });
      sendSessionCookies(reply, cookies, session);
      return answer;
    },
  );

  app.post(
    "/auth/logout",
    {
      schema: {
        operationId: "logout",
        summary: "Sign out",
        description: "Ends the session and clears its cookies.",
        answers: { 204: { description: "Signed out.", headers: { "Set-Cookie": "Clears the session cookies." } } },
        response: { 204: Type.Null() },
      },
      config: { tag: "auth", beforeMfa: true, beforeEnrollment: true },
    },
    async (request, reply) => {
      const actor = person(request.actor);
      await sessions.logout(actor, originOf(request, actor));
      clearSessionCookies(reply, cookies);
      return reply.code(204).send(null);
    },
  );

  app.get(
    "/auth/me",
    {
      schema: {
        operationId: "getMe",
        summary: "Get your account",
        description: "Returns your account, your memberships and when the session ends.",
        response: { 200: MeAnswer },
      },
      config: { tag: "auth", beforeMfa: true, beforeEnrollment: true },
    },
    (request) => sessions.me(person(request.actor)),
  );

  app.patch(
    "/auth/me",
    {
      schema: {
        operationId: "updateMe",
        summary: "Change your account",
        description: "Changes your names or your time zone. Other keys are ignored.",
        body: ProfileBody,
        response: { 200: UserPublic },
      },
      config: { tag: "auth" },
    },
    (request) => sessions.updateMe(person(request.actor), request.body, originOf(request, request.actor)),
  );

  app.post(
    "/auth/change-password",
    {
      schema: {
        operationId: "changePassword",
        summary: "Change your password",
        description:
          "Sets a new password. All other sessions and all trusted devices end; this session continues with new cookies.",
        answers: { 200: { headers: { "Set-Cookie": "Session cookie, CSRF cookie and device cookie." } } },
        body: ChangePasswordBody,
        response: { 200: LoginAnswer },
      },
      config: { tag: "auth", bucket: "mfa", freshMfa: true },
    },
    async (request, reply) => {
      const actor = person(request.actor);
      const { current_password: currentPassword, new_password: newPassword } = request.body;
      const revokesKeys = request.body.revoke_api_keys === true;
      const origin = originOf(request, actor);
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
  );

  app.get(
    "/auth/policy",
    {
      schema: {
        operationId: "getPasswordPolicy",
        summary: "Get the password policy",
        description: "Returns the rules that a new password must meet.",
        response: { 200: PolicyAnswer },
      },
      config: { tag: "auth" },
    },
    () => sessions.policy(),
  );

  app.get(
    "/auth/sessions",
    {
      schema: {
        operationId: "listSessions",
        summary: "List your sessions",
        description: "Lists your sessions that have not ended.",
        response: { 200: SessionList },
      },
      config: { tag: "auth" },
    },
    async (request) => ({
      items: await sessions.list(person(request.actor)),
    }),
  );

  app.post(
    "/auth/sessions/:session_id/revoke",
    {
      schema: {
        operationId: "revokeSession",
        summary: "End a session",
        description: "Ends one of your sessions.",
        params: SessionParams,
        response: { 200: RevokedOne },
      },
      config: { tag: "auth" },
    },
    async (request) => {
      const actor = person(request.actor);
      return { revoked: await sessions.revoke(actor, request.params.session_id, originOf(request, actor)) };
    },
  );

  app.post(
    "/auth/sessions/revoke-others",
    {
      schema: {
        operationId: "revokeOtherSessions",
        summary: "End all other sessions",
        description: "Ends all your sessions except this one and returns how many there were.",
        response: { 200: RevokedCount },
      },
      config: { tag: "auth" },
    },
    async (request) => {
      const actor = person(request.actor);
      return { revoked: await sessions.revokeOthers(actor, originOf(request, actor)) };
    },
  );
};

/** The tag lets no API key in, so the caller is a person. */
function person(actor: Actor): SessionActor {
  if (actor.kind !== "session") throw new Error("an API key reached a session route");
  return actor;
}
