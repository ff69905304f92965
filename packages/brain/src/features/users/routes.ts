import { Type } from "typebox";
import { operation, type Routes } from "../../platform/http/app.ts";
import { type OriginRequest, originOf } from "../audit/index.ts";
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
  operation(app, "GET /users", {
    operationId: "listUsers",
    summary: "List users",
    description: "Lists all accounts, newest first.",
    querystring: UserListQuery,
    response: { 200: UserList },
    policy: { tag: "users", globalAdmin: true },
    handler: (request) => administration.list(request.query),
  });

  operation(app, "GET /users/:user_id", {
    operationId: "getUser",
    summary: "Get a user",
    description: "Returns one account.",
    params: UserParams,
    response: { 200: UserAdminPublic },
    policy: { tag: "users", globalAdmin: true },
    handler: (request) => administration.get(request.params.user_id.toLowerCase()),
  });

  operation(app, "POST /users", {
    operationId: "createUser",
    summary: "Create a user",
    description: "Creates an account.",
    answers: { 409: "An account with this address exists (`email_in_use`)." },
    body: NewUserBody,
    response: { 201: UserAdminPublic },
    policy: { tag: "users-write", globalAdmin: true, freshMfa: true, stepUp: true },
    handler: (request) => administration.create(request.body, originOf(request)),
  });

  operation(app, "PATCH /users/:user_id", {
    operationId: "changeUser",
    summary: "Change a user",
    description: "Changes the given fields of an account. A deactivated account cannot sign in.",
    answers: {
      409: "It is your own account (`own_account`), or the last active administrator (`final_active_admin`).",
    },
    params: UserParams,
    body: UserChangesBody,
    response: { 200: UserAdminPublic },
    policy: { tag: "users-write", globalAdmin: true, freshMfa: true, stepUp: true },
    handler: (request) => administration.update(aboutUser(request), request.body),
  });

  operation(app, "POST /users/:user_id/password", {
    operationId: "resetUserPassword",
    summary: "Reset the password of a user",
    description: "Sets a new password and ends all sessions, trusted devices and API keys of the user.",
    params: UserParams,
    body: ResetPasswordBody,
    response: { 204: Type.Null() },
    policy: { tag: "users-write", globalAdmin: true, freshMfa: true, stepUp: true },
    handler: async (request) => {
      await administration.resetPassword(aboutUser(request), request.body.new_password);
    },
  });

  operation(app, "DELETE /users/:user_id", {
    operationId: "deleteUser",
    summary: "Delete a user",
    description: "Deletes an account. Its commands and audit rows stay, without its name.",
    answers: {
      409: "It is your own account (`own_account`), or the last active administrator (`final_active_admin`).",
    },
    params: UserParams,
    response: { 204: Type.Null() },
    policy: { tag: "users-write", globalAdmin: true, freshMfa: true },
    handler: (request) => administration.remove(aboutUser(request)),
  });
};

/** The account that an administrator's request is about, and the origin of the request. */
export const aboutUser = (request: OriginRequest & { readonly params: { user_id: string } }) => ({
  userId: request.params.user_id.toLowerCase(),
  origin: originOf(request),
});
