export { conformance } from "./conformance.ts";
export type {
  AgentProcess,
  EngineUnderTest,
  NewTask,
  Reporting,
  SampleTask,
  Site,
  WorkerHandle,
  WorkerPlan,
} from "./engine-under-test.ts";
