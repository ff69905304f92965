export { createDemoAdapter, type DemoAdapter, type DemoAdapterOptions } from "./adapter.ts";
