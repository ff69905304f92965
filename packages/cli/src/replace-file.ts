import { randomUUID } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";

/** Replaces a file atomically, with the given mode regardless of the umask. Readers see the old or the new text, never a part. */
export async function replaceFile(path: string, text: string, mode: number): Promise<void> {
  const fresh = `${path}.${randomUUID()}.tmp`;
  try {
    {
      await using file = await open(fresh, "wx", 0o600);
      await file.writeFile(text);
      await file.chmod(mode);
      await file.sync();
    }
    await rename(fresh, path);
  } catch (cause) {
    await rm(fresh, { force: true });
    throw cause;
  }
}
