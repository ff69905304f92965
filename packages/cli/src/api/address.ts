import { CliError } from "../command-line/exit-codes.ts";

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * The base address for requests: scheme, host, port and optional path, without a trailing slash. Also accepts an agent's ws or wss address.
 *
 * @throws CliError `configuration` for an invalid address, one with credentials, or one that would send keys unencrypted.
 */
export function brainAddress(text: string, { allowsPlainHttp }: { readonly allowsPlainHttp: boolean }): string {
  const url = URL.parse(text.replace(/^ws(s?):/i, "http$1:"));
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== "" || url.hash !== "") {
    throw new CliError("configuration", "the address of the service must be a URL such as https://svc.example.com");
  }
  if (url.username !== "" || url.password !== "") {
    throw new CliError(
      "configuration",
      "the address of the service must not contain credentials. Set SVC_API_KEY for an API key",
    );
  }
  if (url.protocol === "http:" && !loopback.test(url.hostname) && !allowsPlainHttp) {
    throw new CliError(
      "configuration",
      `${url.origin} is not encrypted and would expose keys and passwords. Use https, or --plain-http to allow it`,
    );
  }
  return `${url.origin}${url.pathname.replace(/(?<!\/)\/+$/, "")}`;
}
