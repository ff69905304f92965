export { pollScheduleChanges } from "./loops.ts";
export { createSchedulerGrpc, type SchedulerGrpc } from "./scheduler-grpc.ts";
export { checkSchedulerGrpc, schedulerGrpcSettings } from "./settings.ts";
