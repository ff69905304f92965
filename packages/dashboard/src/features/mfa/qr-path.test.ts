import { create } from "qrcode";
import { expect, test } from "vitest";
import { qrPath } from "./qr-path.ts";

test("each run of dark modules in a row is one rectangle", () => {
  expect(qrPath({ size: 3, data: [1, 1, 0, 0, 0, 0, 1, 0, 1] }, 4)).toBe("M4 4h2v1h-2zM4 6h1v1h-1zM6 6h1v1h-1z");
});

test("a path covers exactly the dark modules of a real code", () => {
  const { modules } = create("otpauth://totp/svc:mira%40example.org?secret=JBSWY3DPEHPK3PXP&issuer=svc");
  const drawn = new Set<number>();
  for (const [, x, y, width] of qrPath(modules, 0).matchAll(/M(\d+) (\d+)h(\d+)v1h-\d+z/g)) {
    for (let at = 0; at < Number(width); at += 1) drawn.add(Number(y) * modules.size + Number(x) + at);
  }
  const dark = [...modules.data.keys()].filter((at) => modules.data[at]);
  expect([...drawn].sort((one, other) => one - other)).toEqual(dark);
  expect(dark.length).toBeGreaterThan(300);
});
