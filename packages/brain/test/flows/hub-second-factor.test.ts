import { enrollSecondFactor, waitFor } from "@svc/testkit";
import { anonymous, startTestBrain, testPassword } from "@svc/testkit/brain";
import { openRawSocket } from "@svc/testkit/raw-agent";
import { describe, expect, onTestFinished, test } from "vitest";

/** Signs in the viewer again and opens the hub. */
async function openHub(brain: Awaited<ReturnType<typeof startTestBrain>>) {
  const { headers } = await anonymous(brain.url).post("/auth/login", {
    email: "viewer@example.org",
    password: testPassword,
  });
  const cookie = headers.getSetCookie().map((line) => line.split(";")[0]);
  return openRawSocket(`${brain.url}/ws/dashboard`, { cookie: cookie.join("; "), origin: brain.url });
}

const noSession = { code: 4401 };

describe("the dashboard hub", () => {
  test("refuses a session whose second factor is pending with 4401, and accepts it after verification", async () => {
    const brain = await startTestBrain();
    onTestFinished(() => brain.stop());
    const { viewer } = brain.as;
    await enrollSecondFactor(viewer);
    expect(await (await openHub(brain)).closed).toMatchObject(noSession);

    const hub = openRawSocket(`${brain.url}/ws/dashboard`, { cookie: viewer.cookie, origin: brain.url });
    await hub.opened;
    hub.send(JSON.stringify({ type: "subscribe", project_id: brain.project.id, topics: ["task.changed"] }));
    await waitFor(() => hub.messages.some((text) => text.includes('"ready"')));
    await hub.close();
  });

  test("refuses a session that may only enroll with 4401", async () => {
    const brain = await startTestBrain({
      env: { SVC_MFA_ENFORCE_FOR_ALL: "true", SVC_MFA_ENROLLMENT_GRACE_DAYS: "0" },
    });
    onTestFinished(() => brain.stop());
    expect((await brain.as.viewer.get("/projects")).body.error).toBe("mfa_enrollment_required");
    expect(await (await openHub(brain)).closed).toMatchObject(noSession);
  });
});
