import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { KeyKind } from '../principal.js';

type NewApiKey = Pick<
  ApiKey,
  | 'userId'
  | 'homeOrgId'
  | 'projectId'
  | 'kind'
  | 'name'
  | 'scopes'
  | 'orgIds'
  | 'allowedIps'
  | 'ssoOrgIds'
  | 'expiresAt'
> & { readonly source?: KeySource };

/** `oauth`: a person consented to an OAuth client, and the key has no secret. `api`: all others. */
export type KeySource = 'api' | 'oauth';

interface ApiKeyChange {
  readonly name?: string;
  readonly scopes?: readonly string[];
  readonly allowedIps?: readonly string[];
  readonly expiresAt?: Date | null;
}

@Entity('api_keys')
export class ApiKey {
  @PrimaryColumn('text') id!: string;
  @Column('text', { name: 'user_id' }) userId!: string;
  /** The default organization of calls. For an org-bound key it is the only one. */
  @Column('text', { name: 'home_org_id' }) homeOrgId!: string;
  /** Set for a key that the service made for the deploys of a project. What it uses counts for that project. */
  @Column('text', { name: 'project_id', nullable: true }) projectId!: string | null;
  @Column('text') kind!: KeyKind;
  @Column('text', { default: 'api' }) source!: KeySource;
  @Column('text') name!: string;
  /** The patterns of the caller. `deploys:*` therefore also covers scopes that are added later. */
  @Column('text', { array: true }) scopes!: string[];
  /** The organizations of the key. The list is empty for a personal key, which has access to all of its owner's. */
  @Column('text', { name: 'org_ids', array: true }) orgIds!: string[];
  /** CIDRs that the key can be used from. An empty list allows every address. */
  @Column('text', { name: 'allowed_ips', array: true }) allowedIps!: string[];
  /** The organizations whose SSO connection the session came through that made or authorized the key. */
  @Column('text', { name: 'sso_orgs', array: true, default: '{}' }) ssoOrgIds!: string[];
  @Column('timestamptz', { name: 'expires_at', nullable: true }) expiresAt!: Date | null;
  @Column('timestamptz', { name: 'revoked_at', nullable: true }) revokedAt!: Date | null;
  @Column('timestamptz', { name: 'last_used_at', nullable: true }) lastUsedAt!: Date | null;
  @Column('text', { name: 'last_used_ip', nullable: true }) lastUsedIp!: string | null;
  @Column('timestamptz', { name: 'created_at' }) createdAt!: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt!: Date;

  static issued(input: NewApiKey, { id, at }: { readonly id: string; readonly at: Date }): ApiKey {
    const key = new ApiKey();
    key.id = id;
    key.userId = input.userId;
    key.homeOrgId = input.homeOrgId;
    key.projectId = input.projectId;
    key.kind = input.kind;
    key.source = input.source ?? 'api';
    key.name = input.name;
    key.scopes = input.scopes;
    key.orgIds = input.orgIds;
    key.allowedIps = input.allowedIps;
    key.ssoOrgIds = input.ssoOrgIds;
    key.expiresAt = input.expiresAt;
    key.revokedAt = key.lastUsedAt = key.lastUsedIp = null;
    key.createdAt = key.updatedAt = at;
    return key;
  }

  change({ name, scopes, allowedIps, expiresAt }: ApiKeyChange, at: Date): void {
    if (name !== undefined) this.name = name;
    if (scopes !== undefined) this.scopes = [...scopes];
    if (allowedIps !== undefined) this.allowedIps = [...allowedIps];
    if (expiresAt !== undefined) this.expiresAt = expiresAt;
    this.updatedAt = at;
  }

  /**
   * Takes away one of several organizations. The only one stays with the key, which then ends for good; false says so.
   */
  leaveOrg(orgId: string, at: Date): boolean {
    const [next, ...others] = this.orgIds.filter((id) => id !== orgId);
    if (next === undefined) {
      this.revoke(at);
      return false;
    }
    this.orgIds = [next, ...others];
    if (this.homeOrgId === orgId) this.homeOrgId = next;
    this.updatedAt = at;
    return true;
  }

  /** Returns true when the key was not authorized for the organization before. */
  authorizeForSso(orgId: string, at: Date): boolean {
    if (this.ssoOrgIds.includes(orgId)) return false;
    this.ssoOrgIds = [...this.ssoOrgIds, orgId];
    this.updatedAt = at;
    return true;
  }

  /** Takes back what {@link authorizeForSso} gave. */
  forgetSso(orgId: string, at: Date): void {
    if (!this.ssoOrgIds.includes(orgId)) return;
    this.ssoOrgIds = this.ssoOrgIds.filter((id) => id !== orgId);
    this.updatedAt = at;
  }

  /** Ends the key for good. A revoked key keeps the time of its first revocation. */
  revoke(at: Date): void {
    this.revokedAt ??= at;
    this.updatedAt = at;
  }
}
