import { conformance } from "@svc/conformance";
import { bullmqUnderTest } from "./conformance-site.ts";

conformance(bullmqUnderTest("5", "side-car"));
conformance(bullmqUnderTest("5", "attached"));
