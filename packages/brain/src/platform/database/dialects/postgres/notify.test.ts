import { testDialects, useTestDatabase } from "@svc/testkit/databases";
import pg from "pg";
import { describe, expect, test } from "vitest";
import { Listener } from "./notify.ts";

describe.runIf(testDialects.includes("postgres"))("the listening connection", () => {
  const opened = useTestDatabase("postgres");
  const config = (): pg.ClientConfig => ({ connectionString: opened.url, application_name: "listener-test" });

  test("reports each error of a handler once, and continues", async () => {
    const errors: string[] = [];
    const listener = new Listener(config(), ({ message }) => errors.push(message));
    const last = Promise.withResolvers<string>();
    await listener.listen("svc_test", (payload) => JSON.parse(payload));
    await listener.listen("svc_test", (payload) => {
      if (payload === "{}") last.resolve(payload);
    });

    await opened.database.notify("svc_test", "no JSON");
    await opened.database.notify("svc_test", "{}");

    expect(await last.promise).toBe("{}");
    expect(errors).toEqual([expect.stringContaining("a notification on svc_test could not be handled")]);
    await listener.close();
  });

  test("reports the gap when it is back, and receives again", async () => {
    const listener = new Listener(config(), () => {});
    const gap = Promise.withResolvers<void>();
    const received = Promise.withResolvers<string>();
    let gaps = 0;
    await listener.listen("svc_test", received.resolve, {
      onGap() {
        gaps += 1;
        gap.resolve();
      },
    });
    const admin = new pg.Client(opened.url);
    await admin.connect();

    await admin.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'listener-test'",
    );
    await gap.promise;
    await admin.query("SELECT pg_notify('svc_test', 'after')");

    expect(await received.promise).toBe("after");
    expect(gaps).toBe(1);
    await admin.end();
    await listener.close();
  });
});
