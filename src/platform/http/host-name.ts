/**
 * Returns the host of a `Host` header in lower case and without its port: `Shop.Example.com.:3000` is
 * `shop.example.com`.
 */
export function hostNameOf(header: string | undefined): string | undefined {
  if (header === undefined || header === '') return undefined;
  const colon = header.startsWith('[') ? -1 : header.indexOf(':');
  const host = (colon === -1 ? header : header.slice(0, colon)).toLowerCase();
  return host.endsWith('.') ? host.slice(0, -1) : host;
}
