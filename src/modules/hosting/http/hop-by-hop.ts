/** These headers describe a single connection (RFC 9110, section 7.6.1), so the proxy does not pass them on. */
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
 * Returns a test for hop-by-hop headers. `Connection` can name further ones, but not those that delimit the message or
 * name its host, because the two ends of the proxy would then disagree on them.
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
