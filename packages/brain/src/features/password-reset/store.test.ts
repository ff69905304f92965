/** Cases that both databases must handle alike; routes.test.ts covers the caller's view of resets. */
import { testDialects, useTestDatabase } from "@svc/testkit/databases";
import { type MailServer, startMailServer } from "@svc/testkit/services/mail";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { useAccess } from "../../../test/fixtures/access-fixture.ts";
import { prunePasswordResets } from "./index.ts";

const email = "mira@example.org";

for (const dialect of testDialects) {
  describe(`stored password resets on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    let mail: MailServer;
    const fixture = useAccess(opened, () => ({ SVC_MAIL_URL: mail.url, SVC_MAIL_FROM: "svc@example.org" }));

    beforeAll(async () => {
      mail = await startMailServer();
    });
    afterAll(() => mail.stop());
    beforeEach(() => fixture.addUser(email));

    const ask = () => fixture.browser().send("POST", "/auth/password-reset/request", { email });
    const confirm = async (token: string, password = "Cobalt-Meadow-58") =>
      (await fixture.browser().send("POST", "/auth/password-reset/confirm", { token, new_password: password })).status;
    const linkMail = () => mail.takeAbout("Reset your password");
    const stored = () => opened.database.read.selectFrom("password_reset_tokens").selectAll().execute();

    async function mailedToken(): Promise<string> {
      await ask();
      const { text } = await linkMail();
      return /\/reset\/confirm#token=([\w-]+)/.exec(text)?.[1] ?? "";
    }

    test("create three links for more concurrent requests", async () => {
      await Promise.all(Array.from({ length: 6 }, ask));
      await fixture.passwordReset.settled();
      expect(await stored()).toHaveLength(3);
      for (let index = 0; index < 3; index += 1) await linkMail();
    });

    test("accept one of two concurrent uses of a token", async () => {
      const token = await mailedToken();
      const statuses = await Promise.all([confirm(token), confirm(token, "Other-Cobalt-99")]);
      expect(statuses.sort()).toEqual([200, 404]);
      expect(await fixture.auditRows("auth.password_reset_completed")).toHaveLength(1);
    });

    test("accept one of two links of one account used concurrently, which invalidates the other", async () => {
      const tokens = [await mailedToken(), await mailedToken()] as const;
      const statuses = await Promise.all([confirm(tokens[0]), confirm(tokens[1])]);
      expect(statuses.sort()).toEqual([200, 404]);
    });

    test("delete expired tokens", async () => {
      await mailedToken();
      const tick = () =>
        prunePasswordResets.tick({
          database: opened.database,
          clock: fixture.clock,
          signal: AbortSignal.timeout(10_000),
        });
      expect(await tick()).toEqual({ deleted: 0 });
      fixture.clock.advance(30 * 60_000);
      expect(await tick()).toEqual({ deleted: 1 });
    });
  });
}
