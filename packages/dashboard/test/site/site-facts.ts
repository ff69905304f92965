import { enrollSecondFactor, waitFor } from "@svc/testkit";
import { signIn, type TestBrain, testPassword } from "@svc/testkit/brain";

/** A command that no agent here carries out. */
export async function failCommand(brain: TestBrain): Promise<string> {
  const at = `/projects/${brain.project.slug}/commands`;
  const { body } = await brain.as.operator.post(`${at}/cancel-task`, { engine: "scripted", task_id: "wait-1" });
  await waitFor(async () => (await brain.as.operator.get(`${at}/${body.id}`)).body.status === "failed");
  return body.id;
}

/** An invitation for an address without an account, and the sessions of a user with a second factor. */
export async function fillAccounts(brain: TestBrain) {
  const invited = await brain.as.root.post(`/projects/${brain.project.slug}/invitations`, { email: "new@example.org" });
  const verified = await brain.addMember("careful", "viewer");
  await enrollSecondFactor(verified);
  await verified.post("/auth/mfa/trusted-devices", { label: "Firefox on Linux" });
  const pending = await signIn(brain.url, "careful@example.org", testPassword);
  return { invitation: invited.body.token, verifiedCookie: verified.cookie, pendingCookie: pending.cookie };
}

/** The fingerprint of the failure in the sample of tasks. */
export async function fingerprintOf(brain: TestBrain): Promise<string> {
  const { body } = await brain.as.root.get(`/projects/${brain.project.slug}/issues`);
  return body.items[0].fingerprint;
}
