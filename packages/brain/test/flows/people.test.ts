import { startTestBrain } from "@svc/testkit/brain";
import { routeDialects } from "@svc/testkit/databases";
import { startMailServer } from "@svc/testkit/services/mail";
import { describe, expect, onTestFinished, test } from "vitest";

const password = "Cobalt-Meadow-58";
const email = "mira@example.org";

for (const dialect of routeDialects) {
  describe(`a person on ${dialect}`, () => {
    test("joins with a mailed invitation and resets a forgotten password by mail", async () => {
      const mail = await startMailServer();
      onTestFinished(() => mail.stop());
      await using brain = await startTestBrain({
        dialect,
        env: {
          SVC_MAIL_URL: mail.url,
          SVC_MAIL_FROM: "Tasks <svc@example.org>",
          SVC_PUBLIC_URL: "https://svc.example.org",
        },
      });
      const post = (path: string, body: object) =>
        fetch(`${brain.url}/api/v1${path}`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify(body),
        });
      const linkIn = (text: string) => new URL(/https:\/\/\S+/.exec(text)?.[0] ?? "");
      const tokenIn = (link: URL) => new URLSearchParams(link.hash.slice(1)).get("token");

      const invited = await brain.as.root.post(`/projects/${brain.project.slug}/invitations`, { email });
      expect(invited).toMatchObject({ status: 201, body: { email_sent: true } });
      const invitation = linkIn((await mail.takeAbout("Invitation to Shop")).text);
      expect(invitation.origin + invitation.pathname + invitation.hash).toBe(
        `https://svc.example.org${invited.body.accept_url_path}`,
      );
      const accepted = await post("/invitations/accept", {
        token: tokenIn(invitation),
        display_name: "Mira",
        password,
      });
      expect(accepted.status).toBe(201);
      expect((await post("/auth/login", { email, password })).status).toBe(200);

      expect(await (await post("/auth/password-reset/request", { email })).json()).toEqual({ accepted: true });
      const reset = linkIn((await mail.takeAbout("Reset your password")).text);
      expect(reset.origin + reset.pathname).toBe("https://svc.example.org/reset/confirm");
      const confirmed = await post("/auth/password-reset/confirm", {
        token: tokenIn(reset),
        new_password: `${password}9`,
      });
      expect(await confirmed.json()).toEqual({ success: true });
      expect((await post("/auth/login", { email, password })).status).toBe(401);
      expect((await post("/auth/login", { email, password: `${password}9` })).status).toBe(200);
      expect(brain.logLines.join("")).not.toContain(email);
    });
  });
}
