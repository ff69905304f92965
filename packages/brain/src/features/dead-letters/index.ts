export { deadLetterRoutes } from "./routes.ts";
