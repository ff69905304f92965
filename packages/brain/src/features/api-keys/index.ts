export { createApiKeys } from "./api-keys.ts";
export { apiKeyRoutes } from "./routes.ts";
