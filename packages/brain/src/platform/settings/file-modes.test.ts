import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { secureHome } from "./file-modes.ts";

const openFile = (path: string) => {
  writeFileSync(path, "");
  chmodSync(path, 0o644);
};
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

describe("a home that is the home directory of the user, which is reached by a link", () => {
  let folder: string;
  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), "svc-modes-")));
    mkdirSync(join(folder, "data/ada/public_html"), { recursive: true });
    chmodSync(join(folder, "data/ada"), 0o755);
    chmodSync(join(folder, "data/ada/public_html"), 0o755);
    symlinkSync(join(folder, "data"), join(folder, "home"));
    openFile(join(folder, "data/ada/public_html/index.html"));
    openFile(join(folder, "data/ada/secret.env"));
    vi.stubEnv("HOME", join(folder, "home/ada"));
    expect(homedir()).toBe(join(folder, "home/ada"));
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });

  test.each(["home/ada", "data/ada"])("keeps what does not belong to svc as it is (%s)", (home) => {
    secureHome(join(folder, home));
    const mode = (path: string) => modeOf(join(folder, "data/ada", path));
    expect(["", "public_html", "public_html/index.html", "secret.env"].map(mode)).toEqual(["755", "755", "644", "600"]);
  });

  test("corrects a whole folder of svc next to it", () => {
    mkdirSync(join(folder, "data/svc"));
    chmodSync(join(folder, "data/svc"), 0o755);
    openFile(join(folder, "data/svc/notes"));
    secureHome(join(folder, "home/svc"));
    expect([modeOf(join(folder, "data/svc")), modeOf(join(folder, "data/svc/notes"))]).toEqual(["700", "600"]);
  });

  test("corrects all of a folder of svc when the home directory does not exist", () => {
    vi.stubEnv("HOME", join(folder, "missing"));
    secureHome(join(folder, "data/ada"));
    expect(modeOf(join(folder, "data/ada/public_html"))).toBe("700");
  });
});
