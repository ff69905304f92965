import { CliError } from "../command-line/exit-codes.ts";

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * The service's address as requests are built from it: scheme, host, port and a path in front, without a slash at the end. The address of
 * an agent, which may be ws or wss, will do.
 *
 * @throws CliError `configuration` for what is no address, holds credentials, or would show keys to the network.
 */
export function brainAddress(text: string, { allowsPlainHttp }: { readonly allowsPlainHttp: boolean }): string {
  const url = URL.parse(text.replace(/^ws(s?):/i, "http$1:"));
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== "" || url.hash !== "") {
    throw new CliError("configuration", "the address of the service is not a URL such as https://svc.example.com");
  }
  if (url.username !== "" || url.password !== "") {
    throw new CliError("configuration", "the address of the service holds credentials; an API key is SVC_API_KEY");
  }
  if (url.protocol === "http:" && !loopback.test(url.hostname) && !allowsPlainHttp) {
    throw new CliError(
      "configuration",
      `${url.origin} is plain http, which shows keys and passwords to the network: use https, or --plain-http all the same`,
    );
  }
  return `${url.origin}${url.pathname.replace(/(?<!\/)\/+$/, "")}`;
}
