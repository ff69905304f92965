import { type Static, Type } from "typebox";
import { Described, IdOf, Instant, Line, Nullable, Uuid } from "../../platform/http/schemas.ts";

export const maxCidrs = 32;
const Cidrs = Nullable(
  Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
    maxItems: maxCidrs,
    description: "IPv4 and IPv6 CIDRs; a bare address is one host; null or empty means any address",
  }),
);

export const MintBody = Type.Object(
  {
    name: Described(Line(200), "label, for the owner to recognize the key"),
    scopes: Type.Array(Type.String({ minLength: 1, maxLength: 40 }), {
      minItems: 1,
      maxItems: 64,
      description: "scopes listed by GET /api-keys/scopes",
    }),
    project_id: Type.Optional(
      Nullable(
        Type.Unsafe<string>({
          ...Uuid,
          description: "the only project that the key can access; null or omitted means all of yours",
        }),
      ),
    ),
    expires_in_days: Type.Optional(
      Nullable(
        Type.Integer({ minimum: 1, maximum: 3650, description: "days until it expires; null or omitted means never" }),
      ),
    ),
    allowed_cidrs: Type.Optional(Cidrs),
  },
  { title: "ApiKeyMint" },
);
export type MintBody = Static<typeof MintBody>;

export const ChangeBody = Type.Object({ allowed_cidrs: Cidrs }, { title: "ApiKeyChanges" });

const keyFields = {
  id: Described(Uuid, "id of the key"),
  name: Type.String({ description: "label, for the owner to recognize the key" }),
  prefix: Type.String({ description: "first characters of the token" }),
  scopes: Type.Array(Type.String(), { description: "scopes of the key; see GET /api-keys/scopes" }),
  project_id: Nullable(Uuid, "the only project that it can access; null means all projects of its owner"),
  project_slug: Nullable(Type.String(), "slug of that project; null without one"),
  last_used_at: Nullable(Instant, "last request, recorded at most once a minute; null when never used"),
  last_used_ip: Nullable(Type.String(), "client address of that request; null when never used"),
  expires_at: Nullable(Instant, "when it expires; null means never"),
  revoked_at: Nullable(Instant, "when it was revoked; null while it is valid"),
  revoked_reason: Nullable(Type.String(), "why it was revoked; null while it is valid"),
  created_at: Described(Instant, "when it was created"),
  allowed_cidrs: Nullable(
    Type.Array(Type.String()),
    "addresses that it can be used from, as CIDRs; null means any address",
  ),
};

export const ApiKey = Type.Object(keyFields, { title: "ApiKey", description: "An API key, without its token." });
export type ApiKey = Static<typeof ApiKey>;
export const ApiKeyList = Type.Array(ApiKey, { description: "Working API keys, newest first." });

export const MintedKey = Type.Object(
  {
    ...keyFields,
    token: Type.String({ description: "the bearer token; shown only here" }),
  },
  { title: "MintedKey", description: "A new API key with its token." },
);
export type MintedKey = Static<typeof MintedKey>;

export const ScopeCatalogue = Type.Object(
  {
    scopes: Type.Array(Type.String(), { description: "all scopes" }),
    admin_only: Type.Array(Type.String({ description: "scopes that only an instance administrator can grant" })),
  },
  { title: "ScopeCatalogue", description: "The scopes that API keys can have." },
);

export const RevokedKeys = Type.Object(
  { revoked: Type.Integer({ description: "number of sessions or keys that this request ended" }) },
  { title: "RevokedCount", description: "Number of sessions or keys that were ended." },
);
export const KeyParams = Type.Object({ key_id: IdOf("API key") });
