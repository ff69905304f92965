import { afterAll, beforeAll, describe, test } from "vitest";
import { subjects } from "./cases/subjects.ts";
import type { EngineUnderTest } from "./engine-under-test.ts";
import { type Stage, startStage } from "./stage.ts";

/**
 * The tests that every engine adapter must pass, against its real server. Called at the top of a test file, once for each way in which the
 * adapter can be attached. The cases of an engine share one stage and run in sequence. The last ones stop the server and the agent, and
 * review all reported events.
 */
export function conformance(engine: EngineUnderTest): void {
  describe(`conformance of ${engine.title}`, () => {
    let stage: Stage;
    beforeAll(async () => {
      stage = await startStage(engine);
    });
    afterAll(() => stage?.stop());

    for (const { title, cases } of subjects) {
      const applying = cases.filter(({ appliesTo }) => appliesTo?.(engine) ?? true);
      if (applying.length === 0) continue;
      describe(title, () => {
        for (const { name, run } of applying) test(name, () => run(stage));
      });
    }
  });
}
