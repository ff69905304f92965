import { Type } from "typebox";
import type { Actor, SessionActor } from "../../platform/http/access/actor.ts";
import type { Routes } from "../../platform/http/app.ts";
import { originOf } from "../audit/index.ts";
import { UserParams } from "../users/index.ts";
import type { ApiKeys } from "./api-keys.ts";
import {
  ApiKey,
  ApiKeyList,
  ChangeBody,
  KeyParams,
  MintBody,
  MintedKey,
  RevokedKeys,
  ScopeCatalogue,
} from "./schemas.ts";

export const apiKeyRoutes: Routes<{ apiKeys: ApiKeys }> = (app, { apiKeys }) => {
  app.get(
    "/api-keys",
    {
      schema: {
        operationId: "listApiKeys",
        summary: "List your API keys",
        description: "Lists your API keys that still work, newest first.",
        response: { 200: ApiKeyList },
      },
      config: { tag: "api-keys" },
    },
    (request) => apiKeys.list(person(request.actor)),
  );

  app.post(
    "/api-keys",
    {
      schema: {
        operationId: "createApiKey",
        summary: "Create an API key",
        description:
          "Creates an API key and returns its token, which is shown only in this answer. The key acts as you, within its scopes.",
        answers: { 409: "You have the maximum number of working keys (`too_many_keys`)." },
        body: MintBody,
        response: { 201: MintedKey },
      },
      config: { tag: "api-keys", freshMfa: true, stepUp: true },
    },
    async (request, reply) => {
      const actor = person(request.actor);
      const minted = await apiKeys.mint({ actor, body: request.body, origin: originOf(request, actor) });
      return reply.code(201).send(minted);
    },
  );

  app.get(
    "/api-keys/scopes",
    {
      schema: {
        operationId: "listScopes",
        summary: "List API key scopes",
        description: "Lists the scopes that an API key can have.",
        response: { 200: ScopeCatalogue },
      },
      config: { tag: "api-keys" },
    },
    () => apiKeys.catalogue(),
  );

  app.patch(
    "/api-keys/:key_id",
    {
      schema: {
        operationId: "changeApiKey",
        summary: "Change an API key",
        description: "Replaces the address ranges that the key works from.",
        params: KeyParams,
        body: ChangeBody,
        response: { 200: ApiKey },
      },
      config: { tag: "api-keys", freshMfa: true },
    },
    (request) => {
      const actor = person(request.actor);
      return apiKeys.change({
        actor,
        id: request.params.key_id,
        cidrs: request.body.allowed_cidrs,
        origin: originOf(request, actor),
      });
    },
  );

  app.delete(
    "/api-keys/:key_id",
    {
      schema: {
        operationId: "revokeApiKey",
        summary: "Revoke an API key",
        description: "Revokes one of your API keys. It stops working at once.",
        params: KeyParams,
        response: { 204: Type.Null() },
      },
      config: { tag: "api-keys" },
    },
    async (request, reply) => {
      const actor = person(request.actor);
      await apiKeys.revoke({ actor, id: request.params.key_id, origin: originOf(request, actor) });
      return reply.code(204).send(null);
    },
  );

  app.get(
    "/users/:user_id/api-keys",
    {
      schema: {
        operationId: "listUserApiKeys",
        summary: "List the API keys of a user",
        description: "Lists the working API keys of any user, newest first. The request is audited.",
        params: UserParams,
        response: { 200: ApiKeyList },
      },
      config: { tag: "users-write", globalAdmin: true },
    },
    (request) => apiKeys.listOf(aboutUser(request)),
  );

  app.delete(
    "/users/:user_id/api-keys",
    {
      schema: {
        operationId: "revokeUserApiKeys",
        summary: "Revoke all API keys of a user",
        description: "Revokes every API key of the user and returns how many there were.",
        params: UserParams,
        response: { 200: RevokedKeys },
      },
      config: { tag: "users-write", globalAdmin: true, freshMfa: true },
    },
    async (request) => ({ revoked: await apiKeys.revokeAllOf(aboutUser(request)) }),
  );
};

type UserRequest = Parameters<typeof originOf>[0] & { readonly params: { user_id: string }; readonly actor: Actor };

const aboutUser = (request: UserRequest) => ({
  userId: request.params.user_id.toLowerCase(),
  origin: originOf(request, request.actor),
});

/** The tag lets no API key in, so the caller is a person. */
function person(actor: Actor): SessionActor {
  if (actor.kind !== "session") throw new Error("an API key reached a route of API keys");
  return actor;
}
