import { PackageInstallFailed } from '../package-layers.js';

const MAX_LOCK_BYTES = 1_048_576;
const MAX_PACKAGES = 1_000;
const STRONG_HASH = /(?:^|\s)sha(?:256|384|512)-[A-Za-z0-9+/]{40,}={0,2}/;
const PIP_LINE = /^[A-Za-z0-9][A-Za-z0-9._-]{0,213}==[A-Za-z0-9.!+_-]{1,100} --hash=sha256:[0-9a-f]{64}$/;

interface NpmEntry {
  readonly integrity?: unknown;
  readonly resolved?: unknown;
  readonly link?: unknown;
  readonly inBundle?: unknown;
}

/**
 * Returns the lock that npm has written, if each package in it is a file of a registry with a strong hash. Then the
 * lock decides every byte of what is installed.
 *
 * @throws {PackageInstallFailed}
 */
export function npmLockOf(written: string): string {
  const entries = Object.entries(packagesOf(requireShort(written))).filter(([path]) => path !== '');
  requireFew(entries.length);
  for (const [path, { integrity, resolved, link, inBundle }] of entries) {
    const isOfRegistry = /^https?:\/\//.test(String(resolved)) && STRONG_HASH.test(String(integrity));
    const isPlain = path.startsWith('node_modules/') && link !== true && (inBundle === true || isOfRegistry);
    if (!isPlain) throw refused(`${path} does not come from the registry with a hash of its files.`);
  }
  return written;
}

/** Returns what package.json has to say for npm to accept the lock. */
export function manifestOf(lock: string): string {
  const root = packagesOf(lock)[''] as { readonly dependencies?: unknown } | undefined;
  return JSON.stringify({ name: 'layer', version: '0.0.0', private: true, dependencies: root?.dependencies ?? {} });
}

/**
 * Returns the lines that `layer_packages.py` has printed, if each is a wheel of the index with its hash.
 *
 * @throws {PackageInstallFailed}
 */
export function pipLockOf(written: string): string {
  const lines = requireShort(written).split('\n').filter(Boolean);
  requireFew(lines.length);
  const odd = lines.find((line) => !PIP_LINE.test(line));
  if (odd !== undefined) throw refused(`pip resolved something else than a wheel of the index: ${odd.slice(0, 200)}`);
  return `${lines.join('\n')}\n`;
}

function packagesOf(lock: string): Readonly<Record<string, NpmEntry>> {
  try {
    const { packages } = JSON.parse(lock) as { readonly packages?: Readonly<Record<string, NpmEntry>> };
    if (packages !== undefined) return packages;
  } catch {
    // The message below says all that its caller can use.
  }
  throw refused('npm wrote no lock file.');
}

function requireShort(written: string): string {
  if (Buffer.byteLength(written) > MAX_LOCK_BYTES) throw refused('The packages depend on too many others.');
  return written;
}

function requireFew(count: number): void {
  if (count > MAX_PACKAGES) throw refused(`The packages and what they depend on are more than ${MAX_PACKAGES}.`);
}

const refused = (reason: string): PackageInstallFailed => new PackageInstallFailed(reason, reason);
