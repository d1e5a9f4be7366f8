const PATTERN = /^(?:\*\.)?[a-z0-9-]+(?:\.[a-z0-9-]+)*(?::\d{1,5})?$/;

/** Reads `claude.ai,*.example.com`. Returns undefined when an entry is neither a host nor a star before a domain. */
export function parseClientHosts(text: string): readonly string[] | undefined {
  const hosts = text
    .split(',')
    .map((host) => host.trim().toLowerCase())
    .filter(Boolean);
  return hosts.every((host) => PATTERN.test(host)) ? hosts : undefined;
}
