import { runHashes } from "../../platform/crypto/hash-thread.ts";

runHashes();
