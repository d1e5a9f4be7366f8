/** They describe one connection (RFC 9110, section 7.6.1), and the proxy is at the end of two. */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * Whether a header stays behind with the connection that it came by. `Connection` names further ones; it must not name
 * those that say where a message ends or whom it is for, or the two ends would disagree on that.
 *
 * @param connection the value of `Connection`.
 */
export function hopByHopTest(connection: string | undefined): (lowerCaseName: string) => boolean {
  if (connection === undefined) return (name) => HOP_BY_HOP.has(name);
  const named = new Set(
    connection
      .toLowerCase()
      .split(',')
      .map((name) => name.trim()),
  );
  named.delete('host');
  named.delete('content-length');
  return (name) => HOP_BY_HOP.has(name) || named.has(name);
}
