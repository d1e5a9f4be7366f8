import type { KeyKind } from '../principal.js';

const DAY_MS = 86_400_000;

/** An organization that limits the lifetime of keys. */
export interface LifetimeLimit {
  readonly orgId: string;
  readonly slug: string;
  readonly days: number;
}

/** The facts of a key that its lifetime depends on. */
interface LimitedKey {
  readonly kind: KeyKind;
  readonly source: 'api' | 'oauth';
  readonly projectId: string | null;
  readonly orgIds: readonly string[];
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
}

/**
 * Returns the shortest limit that applies to a key: a personal key reaches every organization of its owner. Keys that
 * the service itself makes, for projects and for OAuth clients, have none, because nobody holds their secret.
 */
export function limitOf(key: LimitedKey, limits: readonly LifetimeLimit[]): LifetimeLimit | undefined {
  if (key.source === 'oauth' || key.projectId !== null) return undefined;
  return limits
    .filter(({ orgId }) => key.kind === 'personal' || key.orgIds.includes(orgId))
    .sort((one, other) => one.days - other.days)[0];
}

/** When a key ends at the latest. The time counts from its creation. */
export const latestEndOf = ({ createdAt }: Pick<LimitedKey, 'createdAt'>, { days }: LifetimeLimit): Date =>
  new Date(createdAt.getTime() + days * DAY_MS);

/** True for a key that lives longer than a limit of today allows. It was made before that. */
export function outlives(key: LimitedKey, limits: readonly LifetimeLimit[]): boolean {
  const limit = limitOf(key, limits);
  return limit !== undefined && (key.expiresAt === null || key.expiresAt > latestEndOf(key, limit));
}
