import assert from 'node:assert/strict';
import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { PasswordHasher } from '../../platform/secrets/password-hasher.js';
import { Clock } from '../../platform/time/clock.js';
import { AliasesService } from './aliases.service.js';
import type { AppProtection } from './persistence/app-protection.entity.js';
import { AppProtectionsStore } from './persistence/app-protections.store.js';
import { AccessTokens } from './protection/access-tokens.js';
import type { ProtectionMode } from './protection-mode.js';

const MAX_WAITING = 50;
/** The name of the parameter that carries a signed link. */
export const ACCESS_PARAMETER = '_service_access';

/** The name of the header in which programs send the token of a link. */
export const ACCESS_HEADER = 'x-service-protection-bypass';

/** Who may open the hosts of a project. */
export interface Protection {
  readonly previews: ProtectionMode;
  readonly production: ProtectionMode;
  readonly hasPassword: boolean;
  readonly updatedAt: Date | undefined;
}

export interface ProtectionChange {
  readonly previews?: ProtectionMode | undefined;
  readonly production?: ProtectionMode | undefined;
  /** The hash of {@link ProtectionsService.hash}, when the password changes. */
  readonly passwordHash?: string | undefined;
}

/** A signed link to a host, for a browser, and its token, which programs send as a header. */
export interface AccessLink {
  readonly url: string;
  readonly token: string;
  readonly expiresAt: Date;
}

/** Decides who may open the hosts of projects. The edge enforces it before anything of an app answers. */
@Injectable()
export class ProtectionsService {
  private readonly passwords = new PasswordHasher(MAX_WAITING);

  constructor(
    private readonly database: Database,
    private readonly protections: AppProtectionsStore,
    private readonly tokens: AccessTokens,
    private readonly aliases: AliasesService,
    private readonly clock: Clock,
  ) {}

  async of(projectId: string): Promise<Protection> {
    return shown(await this.protections.find(projectId));
  }

  /** Hashes a password outside of a transaction, because that takes a while. */
  hash(password: string): Promise<string> {
    return this.database.apart(() => this.passwords.hash(password));
  }

  /** True when the password fits the hash. */
  matches(passwordHash: string, password: string): Promise<boolean> {
    return this.passwords.verify(passwordHash, password);
  }

  /**
   * Changes the protection in the running transaction, in which the project is locked. Each change revokes all links
   * and cookies. Every process sees it within 100 ms of the commit. Returns undefined, and changes nothing, when a mode
   * needs a password and there is none.
   */
  async change(projectId: string, change: ProtectionChange): Promise<Protection | undefined> {
    assert(this.database.inTransaction, 'The protection of a project was changed outside a transaction.');
    const before = await this.protections.find(projectId);
    const previews = change.previews ?? before?.previews ?? 'none';
    const production = change.production ?? before?.production ?? 'none';
    const needsPassword = previews === 'password' || production === 'password';
    const passwordHash = needsPassword ? (change.passwordHash ?? before?.passwordHash ?? null) : null;
    if (needsPassword && passwordHash === null) return undefined;
    const version = (before?.version ?? 0) + 1;
    const after = { projectId, previews, production, passwordHash, version, updatedAt: this.clock.now() };
    await this.protections.set(after);
    return shown(after);
  }

  async remove(projectId: string): Promise<void> {
    await this.protections.remove(projectId);
  }

  /**
   * Returns a link that opens one host of the project. A domain of the project's own is named by its whole name. The
   * link works for `linkSeconds`, and the browser that followed it has access for `sessionSeconds`, both from now.
   */
  async linkTo(
    {
      label,
      projectId,
      url = this.aliases.urlOf(label),
    }: { readonly label: string; readonly projectId: string; readonly url?: string },
    times: { readonly linkSeconds: number; readonly sessionSeconds: number },
  ): Promise<AccessLink> {
    const version = (await this.protections.find(projectId))?.version ?? 0;
    const token = this.tokens.link({ label, projectId, version }, times);
    return {
      url: `${url}/?${ACCESS_PARAMETER}=${token}`,
      token,
      expiresAt: new Date((this.tokens.nowSeconds + times.linkSeconds) * 1_000),
    };
  }
}

const shown = (stored: AppProtection | null): Protection => ({
  previews: stored?.previews ?? 'none',
  production: stored?.production ?? 'none',
  hasPassword: stored !== null && stored.passwordHash !== null,
  updatedAt: stored?.updatedAt,
});
