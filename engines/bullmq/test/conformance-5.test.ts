import { conformance } from "@svc/conformance";
import { isEverything } from "@svc/testkit";
import { bullmqUnderTest } from "./conformance-site.ts";

conformance(bullmqUnderTest("5", "attached"));
if (isEverything) conformance(bullmqUnderTest("5", "side-car"));
