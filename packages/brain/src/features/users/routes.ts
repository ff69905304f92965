import { Type } from "typebox";
import type { Actor } from "../../platform/http/access/actor.ts";
import type { Routes } from "../../platform/http/app.ts";
import { originOf } from "../audit/index.ts";
import type { UserAdministration } from "./administration/user-administration.ts";
import {
  NewUserBody,
  ResetPasswordBody,
  UserAdminPublic,
  UserChangesBody,
  UserList,
  UserListQuery,
  UserParams,
} from "./schemas.ts";

export const userRoutes: Routes<{ administration: UserAdministration }> = (app, { administration }) => {
  app.get(
    "/users",
    {
      schema: {
        operationId: "listUsers",
        summary: "List users",
        description: "Lists all accounts, newest first.",
        querystring: UserListQuery,
        response: { 200: UserList },
      },
      config: { tag: "users", globalAdmin: true },
    },
    (request) => administration.list(request.query),
  );

  app.get(
    "/users/:user_id",
    {
      schema: {
        operationId: "getUser",
        summary: "Get a user",
        description: "Returns one account.",
        params: UserParams,
        response: { 200: UserAdminPublic },
      },
      config: { tag: "users", globalAdmin: true },
    },
    (request) => administration.get(request.params.user_id.toLowerCase()),
  );

  app.post(
    "/users",
    {
      schema: {
        operationId: "createUser",
        summary: "Create a user",
        description: "Creates an account.",
        answers: { 409: "The address has an account (`email_in_use`)." },
        body: NewUserBody,
        response: { 201: UserAdminPublic },
      },
      config: { tag: "users-write", globalAdmin: true, freshMfa: true, stepUp: true },
    },
    async (request, reply) => {
      const user = await administration.create(request.body, originOf(request, request.actor));
      return reply.code(201).send(user);
    },
  );

  app.patch(
    "/users/:user_id",
    {
      schema: {
        operationId: "changeUser",
        summary: "Change a user",
        description: "Changes the given fields of an account. A deactivated account cannot sign in.",
        answers: {
          409: "It is your own account (`own_account`), or the last active administrator (`final_active_admin`).",
        },
        params: UserParams,
        body: UserChangesBody,
        response: { 200: UserAdminPublic },
      },
      config: { tag: "users-write", globalAdmin: true, freshMfa: true, stepUp: true },
    },
    (request) => administration.update(aboutUser(request), request.body),
  );

  app.post(
    "/users/:user_id/password",
    {
      schema: {
        operationId: "resetUserPassword",
        summary: "Reset the password of a user",
        description: "Sets a new password and ends all sessions, trusted devices and API keys of the user.",
        answers: { 409: "It is your own account (`own_account`)." },
        params: UserParams,
        body: ResetPasswordBody,
        response: { 204: Type.Null() },
      },
      config: { tag: "users-write", globalAdmin: true, freshMfa: true, stepUp: true },
    },
    async (request, reply) => {
      await administration.resetPassword(aboutUser(request), request.body.new_password);
      return reply.code(204).send(null);
    },
  );

  app.delete(
    "/users/:user_id",
    {
      schema: {
        operationId: "deleteUser",
        summary: "Delete a user",
        description: "Deletes an account. Its commands and audit rows stay, without its name.",
        answers: {
          409: "It is your own account (`own_account`), or the last active administrator (`final_active_admin`).",
        },
        params: UserParams,
        response: { 204: Type.Null() },
      },
      config: { tag: "users-write", globalAdmin: true, freshMfa: true },
    },
    async (request, reply) => {
      await administration.remove(aboutUser(request));
      return reply.code(204).send(null);
    },
  );
};

type UserRequest = Parameters<typeof originOf>[0] & { readonly params: { user_id: string }; readonly actor: Actor };

const aboutUser = (request: UserRequest) => ({
  userId: request.params.user_id.toLowerCase(),
  origin: originOf(request, request.actor),
});
