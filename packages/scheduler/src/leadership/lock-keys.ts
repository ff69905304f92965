import { createHash } from "node:crypto";

/** Advisory lock number of a namespace, or of one of its projects: the first 8 bytes of SHA-256 with the top bit cleared. */
export function lockKey(namespace: string, projectId?: string): bigint {
  const name = projectId === undefined ? namespace : `${namespace}:${projectId}`;
  return createHash("sha256").update(name).digest().readBigUInt64BE(0) & 0x7fff_ffff_ffff_ffffn;
}
