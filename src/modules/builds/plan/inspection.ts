/** The facts that `inside/inspect.cjs` reports about a source. */
export interface Inspection {
  readonly found: boolean;
  readonly entries: readonly string[];
  readonly manifest: Manifest | null;
  readonly hasWorkspaces: boolean;
  readonly nodeFile: string | null;
  /** The lock file, with its directory relative to the repository. */
  readonly lock: { readonly directory: string; readonly name: string } | null;
  readonly installHash: string;
  /** `output: 'export'` in the configuration of Next.js. */
  readonly nextExports: boolean;
  /** The text of vercel.json. */
  readonly vercel: string | null;
}

interface Manifest {
  readonly scripts: Readonly<Record<string, string>>;
  /** Includes the dependencies for development. */
  readonly dependencies: Readonly<Record<string, string>>;
  readonly node: string | null;
  readonly packageManager: string | null;
  readonly main: string | null;
}

/** Validates the facts, because they come from a sandbox. @throws {Error} when they have an unexpected form. */
export function inspectionOf(raw: Record<string, unknown>): Inspection {
  const manifest = raw.manifest == null ? null : recordOf(raw.manifest);
  const lock = raw.lock == null ? null : recordOf(raw.lock);
  const lockDirectory = textOf(lock?.directory) ?? '';
  if (lockDirectory.split('/').includes('..') || lockDirectory.startsWith('/'))
    throw new Error('the lock file lies outside');
  return {
    found: raw.found === true,
    entries: Array.isArray(raw.entries) ? raw.entries.filter((entry) => typeof entry === 'string') : [],
    manifest:
      manifest === null
        ? null
        : {
            scripts: stringsOf(manifest.scripts),
            dependencies: stringsOf(manifest.dependencies),
            node: textOf(manifest.node),
            packageManager: textOf(manifest.packageManager),
            main: textOf(manifest.main),
          },
    hasWorkspaces: raw.hasWorkspaces === true,
    nodeFile: textOf(raw.nodeFile),
    lock: lock === null ? null : { directory: lockDirectory, name: textOf(lock.name) ?? '' },
    installHash: /^[0-9a-f]{64}$/.exec(textOf(raw.installHash) ?? '')?.[0] ?? '',
    nextExports: raw.nextExports === true,
    vercel: textOf(raw.vercel),
  };
}

function recordOf(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) throw new Error('no object');
  return value as Record<string, unknown>;
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

function stringsOf(value: unknown): Record<string, string> {
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
