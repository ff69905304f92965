export { createDemoAdapter, type DemoAdapter, type DemoAdapterOptions } from "./adapter.ts";
export { demoSchedules } from "./schedules.ts";
