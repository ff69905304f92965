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
      schema: { querystring: UserListQuery, response: { 200: UserList } },
      config: { tag: "users", globalAdmin: true },
    },
    (request) => administration.list(request.query),
  );

  app.get(
    "/users/:user_id",
    { schema: { params: UserParams, response: { 200: UserAdminPublic } }, config: { tag: "users", globalAdmin: true } },
    (request) => administration.get(request.params.user_id.toLowerCase()),
  );

  app.post(
    "/users",
    {
      schema: { body: NewUserBody, response: { 201: UserAdminPublic } },
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
      schema: { params: UserParams, body: UserChangesBody, response: { 200: UserAdminPublic } },
      config: { tag: "users-write", globalAdmin: true, freshMfa: true, stepUp: true },
    },
    (request) => administration.update(aboutUser(request), request.body),
  );

  app.post(
    "/users/:user_id/password",
    {
      schema: { params: UserParams, body: ResetPasswordBody, response: { 204: Type.Null() } },
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
      schema: { params: UserParams, response: { 204: Type.Null() } },
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
