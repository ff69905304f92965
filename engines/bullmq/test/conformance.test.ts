import { conformance } from "@svc/conformance";
import { bullmqMajors } from "./applications.ts";
import { bullmqUnderTest } from "./conformance-site.ts";

for (const major of bullmqMajors)
  for (const attachment of ["side-car", "side-car and helper", "attached"] as const)
    conformance(bullmqUnderTest(major, attachment));
