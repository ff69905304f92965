import { runReader } from "../../platform/database/dialects/sqlite/reader-thread.ts";

runReader();
