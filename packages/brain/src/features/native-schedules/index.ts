export { mirrorSchedules } from "./projection/postgres-store.ts";
