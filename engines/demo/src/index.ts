export { createDemoAdapter, type DemoAdapterOptions } from "./adapter.ts";
