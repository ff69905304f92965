import { Type } from "typebox";
import { operation, type Routes } from "../../platform/http/app.ts";
import { originOf } from "../audit/index.ts";
import { aboutUser, UserParams } from "../users/index.ts";
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
  operation(app, "GET /api-keys", {
    operationId: "listApiKeys",
    summary: "List your API keys",
    description: "Lists your active API keys, newest first.",
    response: { 200: ApiKeyList },
    policy: { tag: "api-keys" },
    handler: (request) => apiKeys.list(request.sessionActor),
  });

  operation(app, "POST /api-keys", {
    operationId: "createApiKey",
    summary: "Create an API key",
    description:
      "Creates an API key and returns its token, which is shown only in this answer. The key acts as you, within its scopes.",
    answers: { 409: "You have the maximum number of active keys (`too_many_keys`)." },
    body: MintBody,
    response: { 201: MintedKey },
    policy: { tag: "api-keys", freshMfa: true, stepUp: true },
    handler: (request) => {
      const actor = request.sessionActor;
      return apiKeys.mint({ actor, body: request.body, origin: originOf(request) });
    },
  });

  operation(app, "GET /api-keys/scopes", {
    operationId: "listScopes",
    summary: "List API key scopes",
    description: "Lists the scopes that an API key can have.",
    response: { 200: ScopeCatalogue },
    policy: { tag: "api-keys" },
    handler: () => apiKeys.catalogue(),
  });

  operation(app, "PATCH /api-keys/:key_id", {
    operationId: "changeApiKey",
    summary: "Change an API key",
    description: "Replaces the address ranges that the key can be used from.",
    params: KeyParams,
    body: ChangeBody,
    response: { 200: ApiKey },
    policy: { tag: "api-keys", freshMfa: true },
    handler: (request) => {
      const actor = request.sessionActor;
      return apiKeys.change({
        actor,
        id: request.params.key_id,
        cidrs: request.body.allowed_cidrs,
        origin: originOf(request),
      });
    },
  });

  operation(app, "DELETE /api-keys/:key_id", {
    operationId: "revokeApiKey",
    summary: "Revoke an API key",
    description: "Revokes one of your API keys. It stops working immediately.",
    params: KeyParams,
    response: { 204: Type.Null() },
    policy: { tag: "api-keys" },
    handler: (request) =>
      apiKeys.revoke({ actor: request.sessionActor, id: request.params.key_id, origin: originOf(request) }),
  });

  operation(app, "GET /users/:user_id/api-keys", {
    operationId: "listUserApiKeys",
    summary: "List the API keys of a user",
    description: "Lists the active API keys of any user, newest first. The request is audited.",
    params: UserParams,
    response: { 200: ApiKeyList },
    policy: { tag: "users-write", globalAdmin: true },
    handler: (request) => apiKeys.listOf(aboutUser(request)),
  });

  operation(app, "DELETE /users/:user_id/api-keys", {
    operationId: "revokeUserApiKeys",
    summary: "Revoke all API keys of a user",
    description: "Revokes every API key of the user and returns their number.",
    params: UserParams,
    response: { 200: RevokedKeys },
    policy: { tag: "users-write", globalAdmin: true, freshMfa: true },
    handler: async (request) => ({ revoked: await apiKeys.revokeAllOf(aboutUser(request)) }),
  });
};
