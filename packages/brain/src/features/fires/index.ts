export { createFires } from "./fires.ts";
export { breakCircuits, detectMisfires, pruneFires, pruneMisfires, replayFires } from "./loops.ts";
export { forgetTrigger } from "./operations/forget-user-store.ts";
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
