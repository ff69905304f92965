import { createServer, type Server, type Socket } from "node:net";
import { freePort } from "@svc/testkit";
import { type MailServer, startMailServer } from "@svc/testkit/services/mail";
import { afterEach, describe, expect, onTestFinished, test } from "vitest";
import { createLog } from "../log.ts";
import { createMail } from "./mail.ts";
import type { MailMessage } from "./render.ts";

const from = "Svc <svc@example.org>";
const message: MailMessage = {
  kind: "invitation",
  to: "mira@example.org",
  subject: "Welcome to Ångström",
  before: ["Someone invited you to <b>Shop</b>."],
  link: { label: "Accept", url: "http://localhost:7700/invite#token=secret-token&x=1" },
  after: ["It ends in 7 days."],
};

let server: MailServer | undefined;
afterEach(async () => {
  await server?.stop();
  server = undefined;
});

function mailTo(url: string | undefined, sender: string | undefined = from) {
  const logged: string[] = [];
  const log = createLog({ level: "debug", json: true, write: (line) => void logged.push(line) });
  const mail = createMail({
    settings: {
      ...(url !== undefined && { SVC_MAIL_URL: url }),
      ...(sender !== undefined && { SVC_MAIL_FROM: sender }),
    },
    log,
    clock: { monotonicMs: () => performance.now() },
  });
  onTestFinished(() => mail.stop());
  return { mail, logged };
}

/** A server that accepts connections and lets the test write its responses. */
async function rawServer(onConnect: (socket: Socket) => void): Promise<{ url: string; sockets: Socket[] }> {
  const sockets: Socket[] = [];
  const raw: Server = createServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => {});
    onConnect(socket);
  });
  await new Promise<void>((resolve) => raw.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => raw.close(resolve));
  });
  return { url: `smtp://127.0.0.1:${(raw.address() as { port: number }).port}`, sockets };
}

describe("mail", () => {
  test("arrives at a real server as text and as HTML, with the sender of the settings", async () => {
    server = await startMailServer();
    const { mail, logged } = mailTo(server.url);
    expect(mail.isConfigured).toBe(true);
    expect(await mail.send(message)).toBe(true);

    const got = await server.take();
    expect(got).toMatchObject({ from: "svc@example.org", to: ["mira@example.org"], subject: "Welcome to Ångström" });
    expect(got.headers.get("from")).toEqual(["Svc <svc@example.org>"]);
    expect(got.text).toContain("Accept:\nhttp://localhost:7700/invite#token=secret-token&x=1".replaceAll("\n", "\r\n"));
    expect(got.html).toContain('<a href="http://localhost:7700/invite#token=secret-token&amp;x=1">Accept</a>');
    expect(got.html).toContain("&lt;b&gt;Shop&lt;/b&gt;");
    expect(got.html).not.toMatch(/style=|<script|<img/);
    expect(logged.join("")).toContain("mail.sent");
    expect(logged.join("")).not.toMatch(/mira|secret-token/);
  });

  test("takes no further header from a subject or a name with line breaks", async () => {
    server = await startMailServer();
    const { mail } = mailTo(server.url);
    const evil = "Hello\r\nBcc: victim@example.org\r\n\r\nbody";
    expect(await mail.send({ ...message, subject: evil, before: [evil] })).toBe(true);
    const got = await server.take();
    expect(got.to).toEqual(["mira@example.org"]);
    expect(got.headers.has("bcc")).toBe(false);
    expect(got.subject).toBe("Hello Bcc: victim@example.org body");
    expect(got.text.split("\r\n")[0]).toBe("Hello Bcc: victim@example.org body");
  });

  test.each([
    ["a line break", "mira@example.org\r\nRCPT TO:<victim@example.org>"],
    ["angle brackets", "mira@example.org><victim@example.org"],
    ["two addresses", "mira@example.org, victim@example.org"],
    ["a list in its first part", "a,b;c@example.org"],
  ])("is not sent when the recipient contains %s", async (_what, to) => {
    server = await startMailServer();
    const { mail } = mailTo(server.url);
    expect(await mail.send({ ...message, to })).toBe(false);
    expect(server.mails).toEqual([]);
  });

  test("that fails returns false and logs a line without recipient or password", async () => {
    server = await startMailServer({ refuses: true });
    const refused = mailTo(server.url);
    expect(await refused.mail.send(message)).toBe(false);
    const wrong = mailTo(server.url.replace(server.password, "not-the-password"));
    expect(await wrong.mail.send(message)).toBe(false);
    const nowhere = mailTo(`smtp://mailer:topsecret@127.0.0.1:${await freePort()}`);
    expect(await nowhere.mail.send(message)).toBe(false);

    expect(refused.logged.join("")).toMatch(/"response_code":550.*mail\.failed/);
    expect(wrong.logged.join("")).toContain("EAUTH");
    expect(nowhere.logged.join("")).toContain("mail.failed");
    const all = [refused, wrong, nowhere].flatMap(({ logged }) => logged).join("");
    expect(all).not.toMatch(/mira|secret-token|topsecret|not-the-password|mailer/);
  });

  test("is dropped and logged when too much waits, and what waits is dropped by a stop", async () => {
    let connected = () => {};
    const both = new Promise<void>((resolve) => {
      let count = 0;
      connected = () => {
        count += 1;
        if (count === 2) resolve();
      };
    });
    const silent = await rawServer(() => connected());
    const { mail, logged } = mailTo(silent.url);
    const sent = Array.from({ length: 102 }, () => mail.send(message));
    expect(await mail.send(message)).toBe(false);
    expect(logged.join("")).toMatch(/queue_full.*mail\.dropped/);
    await both;
    const stopped = mail.stop();
    // The two in progress fail, and the waiting ones are dropped because the service stops.
    for (const socket of silent.sockets) socket.destroy();
    await stopped;
    expect(await Promise.all(sent)).toEqual(sent.map(() => false));
    expect(silent.sockets).toHaveLength(2);
    expect(logged.filter((line) => line.includes("mail.dropped"))).toHaveLength(1);
  });

  test("with a user is not sent to another machine's server without TLS", async () => {
    // A name that resolves to this machine but is not a loopback name: the password must not be sent.
    const said: string[] = [];
    const plain = await rawServer((socket) => {
      socket.write("220 plain ESMTP\r\n");
      socket.on("data", (data) => {
        said.push(data.toString());
        socket.write(data.toString().startsWith("EHLO") ? "250-plain\r\n250 AUTH PLAIN LOGIN\r\n" : "502 no\r\n");
      });
    });
    const { port } = new URL(plain.url);
    const { mail } = mailTo(`smtp://mailer:topsecret@0.0.0.0:${port}`);
    expect(await mail.send(message)).toBe(false);
    expect(said.join("")).toContain("STARTTLS");
    expect(said.join("")).not.toContain("AUTH PLAIN ");
  });

  test("is not configured without a server", async () => {
    const { mail } = mailTo(undefined);
    expect(mail.isConfigured).toBe(false);
    expect(await mail.send(message)).toBe(false);
  });
});
