const HOST = /^[a-z0-9.-]{1,253}(?::\d{1,5})?$/;

/** Reads `git.internal,127.0.0.1:8418`. Returns undefined when an entry is not a host. */
export function parseHosts(text: string): readonly string[] | undefined {
  const hosts = text
    .split(',')
    .map((host) => host.trim().toLowerCase())
    .filter(Boolean);
  return hosts.every((host) => HOST.test(host)) ? hosts : undefined;
}

const LONGEST_DOMAIN = 180;
const HOST_NAME = /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;

/** The end of the sentence that refuses text which {@link parseHosts} cannot read. */
export const HOSTS_RULE = 'must be a list of <host> or <host>:<port>, with commas between';

/** Accepts `apps.example.com` and `localhost`. A name that ends in a number would be taken for an IP address. */
export const isHostName = (text: string): boolean => HOST_NAME.test(text) && !/(?:^|\.)\d+$/.test(text);

/** Accepts the host names that are short enough to have further names below them. */
export const isDomain = (text: string): boolean => text.length <= LONGEST_DOMAIN && isHostName(text);
