export interface ApiKey {
  id: string;
  name: string;
  /** First characters of the token. */
  prefix: string;
  scopes: string[];
  /** Null for a key of every project of its owner. */
  project_id: string | null;
  project_slug: string | null;
  last_used_at: string | null;
  last_used_ip: string | null;
  expires_at: string | null;
  revoked_at: string | null;
  revoked_reason: string | null;
  created_at: string;
  /** In canonical form; null for every address. */
  allowed_cidrs: string[] | null;
}

export interface MintedKey extends ApiKey {
  /** Shown once; the server keeps only a digest. */
  token: string;
}

export interface ApiKeyMint {
  name: string;
  scopes: readonly string[];
  project_id?: string | null;
  expires_in_days?: number | null;
  allowed_cidrs?: readonly string[] | null;
}

export interface ScopeCatalogue {
  scopes: string[];
  /** Only an administrator of the instance mints keys with these. */
  admin_only: string[];
}
