/**
 * Expected decisions of redaction, for tests of the redactor, agents and the brain. Secrets are concatenated from parts, so that secret
 * scanners do not report the samples as leaks.
 */
const words = (text: string): string[] => text.trim().split(/\s+/);
const alnum = (length: number) => "aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0z".repeat(4).slice(0, length);
const hex = (length: number) => "0123456789abcdef".repeat(4).slice(0, length);

/** Keys below which all scalars are masked. */
const sensitiveKeys: readonly string[] = [
  // Whole keys, with any separators and in any case.
  ...words(
    "password PASSWORD Password passWord pass_word pwd passwd password_hash password_confirmation old-password newPassword",
  ),
  ...words(
    "secret secrets client_secret webhookSecret hmac-secret token accessToken access-token ACCESS_TOKEN accesstoken id_token",
  ),
  ...words(
    "x-api-key XAPIKEY X_Api_Key apikey apiKey APIKey apiKEY authorization Authorization auth credentials credential",
  ),
  ...words(
    "cookie Set-Cookie setcookie ssn SSN social_security socialSecurityNumber credit_card creditCardNumber cardNumber cvv c_v_v CVC",
  ),
  ...words(
    "pass passphrase private_key privateKey signing_key encryptionKey access_key secretKey otp OTP iban IBAN account_number",
  ),
  ...words("session_id sessionId SESSIONID csrf bearer jwt JWT pin PIN"),
  // Keys that end in a phrase.
  ...words(
    "db_password dbPassword DB_PASSWORD db.password user_token userToken my_token stripe_secret_key awsSecretKey aws.secretKey",
  ),
  ...words(
    "ssh-private-key sshPrivateKey Proxy-Authorization X-CSRF-Token X-Amz-Security-Token proxy.auth basic_auth userJWT customerIban",
  ),
  ...words(
    "mfaOtp sms_otp db_pass dbPass customer_ssn bank_account_number bankAccountNumber phpSessionId tls_passphrase gpgPassphrase",
  ),
  ...words(
    "userCVV payment_card_number google_credential session-cookie x_accesstoken userPassWord user_accessToken HTTPAuthorization",
  ),
  "user token",
  "Card Number",
  // Divided by other characters.
  ...words(
    "user[password] config:password login/password password: $token {{token}} pass\u200bword form[card][number]",
  ),
  // Numbers and brackets that only distinguish several keys.
  ...words("password2 password_2 token1 api_key_1 card_number2 cvv2 tokens[0] secret-01 otp_6 sha256_password"),
  // Plurals.
  ...words(
    "passwords tokens user_tokens api_keys apiKeys accessTokens cookies userJWTs privateKeys ibans accountNumbers",
  ),
  // Words without a boundary, where the ending is unambiguous.
  ...words("dbpassword PGPASSWORD csrfmiddlewaretoken mysecretkey userapikey dbcredentials sshpassphrase"),
  // Other forms of Latin letters.
  "ｐａｓｓｗｏｒｄ",
  "contraseña_token",
];

/** Keys below which nothing is masked. */
const plainKeys: readonly string[] = [
  ...words(
    "passengers passenger passage compass bypass trespass tokenizer tokenize detokenizer author authority authored oauth2",
  ),
  ...words(
    "token_count tokenCount secret_type password_length token_ttl secretName card_number_index tokenSize password_limit token_at",
  ),
  ...words(
    "token_id secret_id cookie_id session_type session sessions session_count bearer_type password_hint password_reset_url",
  ),
  ...words(
    "map_pin pins pin_code pin7 pinned spin shipping_pin key keys public_key primary_key sort_key partition_key cache_key",
  ),
  ...words(
    "account accounts account_id number card cards card_type credit social security secretary secretariat cookiecutter rookie",
  ),
  ...words(
    "user name email id task_id queue worker amount currency order_id created_at release retries attempt warehouse",
  ),
  ...words("jwtIssuer otpauth_label laptop desktop cryptopass1x libane urban caravan cvvx bearings forbearer"),
  "",
  "7",
  "_-_",
  "größe",
  "登録",
];

const secretValues: readonly unknown[] = [
  // Cards of all networks in all groupings.
  ...["4111111111111111", "4111 1111 1111 1111", "4111-1111-1111-1111", "5555555555554444", "2223003122003222"],
  ...[
    "378282246310005",
    "3782 822463 10005",
    "3782-822463-10005",
    "6011111111111117",
    "30569309025904",
    "3530111333300000",
  ],
  ...["4222222222222", "6304000000000000", "4000000000000000006", "4000 0000 0000 0000 006", "6212 3456 7890 0000 003"],
  ...[
    "card 4111111111111111 declined",
    "4111111111111111,12/27,123",
    "pan=4111111111111111&x=1",
    "(4111 1111 1111 1111)",
  ],
  ...["order 12 4111 1111 1111 1111", "4111 1111 1111 1111 12/27", "4111111111111111 123", "card_4111111111111111"],
  ...["no:4111-1111-1111-1111.", "x 1 4111111111111111 2", "-4111111111111111", "41 11 11 11 11 11 11 11"],
  4_111_111_111_111_111,
  378_282_246_310_005,
  // After an escape in nested text, even with digits directly before the card's, and on track 1 of a magnetic stripe.
  ...["redirect=%2Fpay%3Fcard%3D4111111111111111", "card%253d4111111111111111", "%22%204111111111111111%22"],
  ...["%204111 1111 1111 1111", "%C2%A04111111111111111", "%2041 11 11 11 11 11 11 11", "%254111111111111111"],
  ...["card\\n4111111111111111", "\\t4111-1111-1111-1111", "\\u00224111111111111111\\u0022", "\\u00a04111111111111111"],
  ...["%5Cn4111111111111111", "%22card%5Cu00204111111111111111", "card\\x204111111111111111", "%4111111111111111"],
  ...["%B4111111111111111^DOE/JANE^2512", "%b378282246310005^", "%25B4111111111111111%5EDOE"],
  // IBANs.
  ...["DE89370400440532013000", "DE89 3704 0044 0532 0130 00", "de89370400440532013000", "DE89-3704-0044-0532-0130-00"],
  ...["GB29NWBK60161331926819", "GB29 NWBK 6016 1331 9268 19", "FR1420041010050500013M02606", "NO9386011117947"],
  ...[
    "MT84MALT011000012345MTLCAST001S",
    "CH9300762011623852957",
    "NL91ABNA0417164300",
    "pay to DE89370400440532013000.",
  ],
  ...["IBAN:GB29NWBK60161331926819", "BE68 5390 0754 7034 and more"],
  ...["iban%3DDE89370400440532013000", "iban%253dde89370400440532013000%26", "%20DE89 3704 0044 0532 0130 00"],
  ...["pay\\nDE89370400440532013000", "\\u0022GB29NWBK60161331926819", "%5CtDE89370400440532013000"],
  ...["%DE89370400440532013000", "\\ue123DE89370400440532013000"],
  // One of each other family.
  ...[`eyJhbGciOiJIUzI1NiJ9.${alnum(20)}.${alnum(43)}`, `Bearer ${alnum(20)}`, `sk_live_${alnum(24)}`],
  ...[`jwt%3DeyJhbGciOiJIUzI1NiJ9.${alnum(20)}.${alnum(43)}`, `\\neyJhbGciOiJIUzI1NiJ9.${alnum(20)}.${alnum(43)}`],
  ...["ssn%20123-45-6789", `twilio%3DSK${hex(32)}`],
  ...[`whsec_${alnum(24)}`, `xoxb-${alnum(12)}`, `ghp_${alnum(36)}`, `github_pat_${alnum(82)}`, `AKIA${alnum(16)}`],
  ...[`https://hooks.${"slack"}.com/services/T0/B0/${alnum(8)}`, `AIza${alnum(35)}`, `SK${hex(32)}`],
  ...[
    `SG.${alnum(22)}.${alnum(43)}`,
    "redis://:pw@cache",
    `-----BEGIN ${"PRIVATE"} KEY-----`,
    "bob@example.com",
    "123-45-6789",
  ],
];

const plainValues: readonly unknown[] = [
  // Wrong check digit, length or first digit; adjacent word characters; other separators.
  ...[
    "4111111111111112",
    "411111111111",
    "41111111111111111111",
    "1111111111111117",
    "7111111111111116",
    "0000000000000000",
  ],
  ...["a4111111111111111", "4111111111111111b", "é4111111111111111", "4111  1111  1111  1111", "4111.1111.1111.1111"],
  ...["4111--1111--1111--1111", "4111_1111_1111_1111", "4111 1111 1111"],
  // Apparent escapes, and escapes followed by a letter or digit.
  ...[
    "card=D4111111111111111",
    "%g14111111111111111",
    "n4111111111111111",
    "\\q4111111111111111",
    "u00224111111111111111",
  ],
  ...[
    "%3Da4111111111111111",
    "\\na4111111111111111",
    "B4111111111111111^",
    "%B4111111111111111",
    "%%B4111111111111111",
  ],
  ...["%3D4111111111111111f", "\\u002g4111111111111111", "%3DxDE89370400440532013000", "nDE89370400440532013000"],
  ...["task%3D42345678-1234-4235-8345-123456789012", "\\n42345678-1234-4235-8345-123456789012"],
  // Times, ids, fractions.
  ...["1767323045000", "1767323045000123", "1767323045000123456", "2026-01-02T03:04:05.000Z", "2026-01-02 03:04:05"],
  ...[
    "12345678-1234-4234-8345-123456789012",
    "42345678-1234-4235-8345-123456789012",
    "3f0c7d1e-5b7a-4f0e-9d53-0f6a2f6a1b11",
    // Parts of these have the check number of an IBAN.
    "01a20981-8f66-7ece-be12-c352e1aef184",
    "ee804a8a-340f-4a44-87ea-841117e7882d",
    "task EE804A8A-340F-4A44-87EA-841117E7882D.",
  ],
  ...["3.4111111111111111", "4111111111111111.5", "555-1234", "10 20 30 40 50 60 70 80"],
  1_767_323_045_000,
  4_111_111_111_111_112,
  -4_111_111_111_111_111,
  4111.111111111111,
  4e20,
  // Invalid IBANs.
  ...[
    "DE89370400440532013001",
    "DE8937040044053201300",
    "DE893704004405320130000",
    "XX89370400440532013000",
    "xDE89370400440532013000",
  ],
  ...["DE89  3704 0044 0532 0130 00", "DE89370400440532013000x", "at20 years in the trade, counted from now"],
  // Texts.
  ...[
    "",
    "plain",
    "app.tasks.send_welcome",
    "lodash@4.17.21",
    "celery@worker-1",
    "sk_prod_short",
    "bearer of good news",
  ],
  ...["-----BEGIN PUBLIC KEY-----", "http://host:80/path?at=a@b", "xoxo-hugs", "eyJonly.two", "v1.22.333-4444-5555"],
];

const marker = "[REDACTED]";

/** The table as input of redaction, and the expected output. */
export const redactionVerdicts = {
  given: {
    keys: [...sensitiveKeys, ...plainKeys].map((key) => ({ [key]: "plain" })),
    values: [...secretValues, ...plainValues],
    counts: [{ max_tokens: 4096 }, { tokens: [4096] }, { token: 4096 }, { passwords: 2 }],
  },
  expected: {
    keys: [...sensitiveKeys.map((key) => ({ [key]: marker })), ...plainKeys.map((key) => ({ [key]: "plain" }))],
    values: [...secretValues.map(() => marker), ...plainValues],
    counts: [{ max_tokens: 4096 }, { tokens: [marker] }, { token: marker }, { passwords: 2 }],
  },
  size: sensitiveKeys.length + plainKeys.length + secretValues.length + plainValues.length,
};
