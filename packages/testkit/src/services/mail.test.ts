import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { startMailServer } from "./mail.ts";

describe("the mail server of tests", () => {
  test("reads mails like a mail program: folded headers, quoted-printable and base64", async () => {
    const server = await startMailServer();
    onTestFinished(() => server.stop());
    const url = new URL(server.url);
    const mail = [
      "From: a@example.org",
      "Subject: =?UTF-8?Q?Gr=C3=BC=C3=9Fe_?=",
      " =?UTF-8?B?w6F0?=",
      'Content-Type: multipart/alternative; boundary="--b"',
      "",
      "----b",
      "Content-Type: text/plain; charset=utf-8",
      "Content-Transfer-Encoding: quoted-printable",
      "",
      "Gr=C3=BC=C3=9F=",
      "e",
      "----b",
      "Content-Type: text/html",
      "Content-Transfer-Encoding: base64",
      "",
      Buffer.from("<p>ü</p>").toString("base64"),
      "----b--",
      ".",
    ];
    const auth = Buffer.from(`\0${url.username}\0${server.password}`).toString("base64");
    const socket = connect(Number(url.port), "127.0.0.1");
    const steps = ["EHLO me", `AUTH PLAIN ${auth}`, "MAIL FROM:<a@example.org>", "RCPT TO:<b@example.org>", "DATA"];
    for (const step of [...steps, mail.join("\r\n"), "QUIT"]) {
      await once(socket, "data");
      socket.write(`${step}\r\n`);
    }
    const got = await server.take();
    socket.destroy();
    expect(got).toMatchObject({ from: "a@example.org", to: ["b@example.org"], subject: "Grüße át" });
    expect(got.text.trim()).toBe("Grüße");
    expect(got.html).toBe("<p>ü</p>");
    expect(server.mails).toHaveLength(1);
  });

  test("reports when no mail arrives", async () => {
    const server = await startMailServer();
    onTestFinished(() => server.stop());
    await expect(server.take(1)).rejects.toThrow("no mail within 1 ms");
  });
});
