const HOST = /^[a-z0-9.-]{1,253}(?::\d{1,5})?$/;

/** Reads `git.internal,127.0.0.1:8418`. Undefined when something in it is no host. */
export function parseHosts(text: string): readonly string[] | undefined {
  const hosts = text.split(',').map((host) => host.trim().toLowerCase()).filter(Boolean);
  return hosts.every((host) => HOST.test(host)) ? hosts : undefined;
}
