import type { ProtectionMode } from '../protection-mode.js';

/** The protection of one host, as the edge keeps it in memory. A host without one is open to everybody. */
export interface AppGuard {
  readonly projectId: string;
  readonly mode: Exclude<ProtectionMode, 'none'>;
  readonly version: number;
  readonly passwordHash: string | null;
}

interface ProtectionFacts {
  readonly projectId: string;
  readonly previews: ProtectionMode;
  readonly production: ProtectionMode;
  readonly version: number;
  readonly passwordHash: string | null;
}

/** The hosts of branches and of single deploys count as previews, also when they show a production deploy. */
export function guardOf(kind: string, facts: ProtectionFacts): AppGuard | undefined {
  const mode = kind === 'deploy' || kind === 'branch' ? facts.previews : facts.production;
  if (mode === 'none') return undefined;
  const { projectId, version, passwordHash } = facts;
  return { projectId, mode, version, passwordHash: mode === 'password' ? passwordHash : null };
}
