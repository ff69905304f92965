import { conformance } from "@svc/conformance";
import { isEverything } from "@svc/testkit";
import { bullmqUnderTest } from "./conformance-site.ts";

conformance(bullmqUnderTest("6", "side-car"));
if (isEverything) conformance(bullmqUnderTest("6", "attached"));
