/** Instructions to the operator's own proxy in front of the service: it would send files of its machine for them. */
export const FOR_OPERATORS_PROXY: readonly string[] = [
  'x-accel-redirect',
  'x-sendfile',
  'x-lighttpd-send-file',
  'x-reproxy-url',
];

/**
 * A cookie as the app set it, but for its own host alone: all apps are below one domain, and with `Domain` one of them
 * could set cookies for the others. Names below a custom domain may belong to another organization, so it is removed
 * there too.
 */
export function withoutDomain(cookie: string): string {
  // Most have none, and are passed on as they are.
  if (!cookie.toLowerCase().includes('domain')) return cookie;
  const [pair = '', ...attributes] = cookie.split(';');
  return [pair, ...attributes.filter((attribute) => nameOf(attribute) !== 'domain')].join(';');
}

function nameOf(attribute: string): string {
  const end = attribute.indexOf('=');
  return (end === -1 ? attribute : attribute.slice(0, end)).trim().toLowerCase();
}
