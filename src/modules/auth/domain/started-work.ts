import type { Scope } from '../scopes.js';

/** Work that goes on after the call that started it. */
export interface StartedWork {
  readonly id: string;
  readonly orgId: string;
  readonly userId: string;
  /** The key of that call. Null for a session, whose end does not end the work. */
  readonly keyId: string | null;
  /** What the work may do at most. */
  readonly scopes: readonly Scope[];
}
