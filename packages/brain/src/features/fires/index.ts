export { createFires, type Fires } from "./fires.ts";
export type {
  AcknowledgeRequest,
  AdvanceAnswer,
  AdvanceRequest,
  FireAnswer,
  FireCalls,
  FireRequest,
} from "./requests.ts";
export { InvalidFireRequest } from "./requests.ts";
export { fireRoutes } from "./routes.ts";
export { fireSettings } from "./settings.ts";
export { fireMoves } from "./states.ts";
