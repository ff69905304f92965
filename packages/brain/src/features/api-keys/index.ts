export { createApiKeys } from "./api-keys.ts";
export { apiKeyRoutes } from "./routes.ts";
export { revokeKeysOf } from "./store.ts";
