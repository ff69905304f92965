import { conformance } from "@svc/conformance";
import { bullmqUnderTest } from "./conformance-site.ts";

conformance(bullmqUnderTest("6", "side-car"));
conformance(bullmqUnderTest("6", "attached"));
