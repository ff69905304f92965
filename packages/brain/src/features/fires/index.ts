export type {
  AcknowledgeRequest,
  AdvanceAnswer,
  AdvanceRequest,
  FireAnswer,
  FireCalls,
  FireRequest,
} from "./requests.ts";
export { InvalidFireRequest } from "./requests.ts";
