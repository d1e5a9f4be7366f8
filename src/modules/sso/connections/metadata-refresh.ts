import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Clock } from '../../../platform/time/clock.js';
import { OrgPlans } from '../../orgs/org-plans.js';
import { SsoConnectionsStore } from '../persistence/sso-connections.store.js';
import { SamlMetadataRefused } from '../saml/saml-metadata-refused.js';
import { ConnectionHistory } from './connection-history.js';
import { MetadataUnusable, ProviderReader } from './provider-reader.js';
import type { MetadataProblem, SamlConnection, SamlIdp } from './sso-connection.js';

/** Reads the metadata of providers again, so that new certificates are known before they are used. */
@Injectable()
export class MetadataRefresh {
  constructor(
    private readonly database: Database,
    private readonly plans: OrgPlans,
    private readonly connections: SsoConnectionsStore,
    private readonly reader: ProviderReader,
    private readonly history: ConnectionHistory,
    private readonly clock: Clock,
  ) {}

  /**
   * Takes other certificates, and nothing else: another entity ID or sign-in URL would lead people to another provider.
   * No transaction may be open, because the provider is asked.
   */
  async refresh(known: SamlConnection, url: string): Promise<void> {
    const read = await this.read(url);
    await this.database.transaction(async () => {
      await this.plans.lock(known.orgId);
      const before = await this.connections.lock(known.orgId, known.id);
      if (before?.type !== 'saml' || before.saml.metadataUrl !== url) return;
      await this.apply(before, read);
    });
  }

  private async read(url: string): Promise<SamlIdp | undefined> {
    try {
      return await this.reader.readMetadata(url);
    } catch (error) {
      if (error instanceof MetadataUnusable || error instanceof SamlMetadataRefused) return undefined;
      throw error;
    }
  }

  private async apply(before: SamlConnection, read: SamlIdp | undefined): Promise<void> {
    const metadataProblem = problemOf(before.saml, read);
    const isNew = metadataProblem === null && !hasSame(before.saml.certificates, read!.certificates);
    const taken = isNew ? { certificates: read!.certificates, certificatesEnd: read!.certificatesEnd } : {};
    const now = this.clock.now();
    const saml = { ...before.saml, ...taken, metadataReadAt: now, metadataProblem };
    const after = { ...before, saml, ...(isNew ? { updatedAt: now } : {}) };
    await this.connections.save(after);
    if (isNew) await this.history.record(undefined, 'sso_connection.certificates_changed', after);
    if (metadataProblem === 'other_provider' && before.saml.metadataProblem !== 'other_provider')
      await this.history.notify({ orgId: after.orgId, kind: 'other_provider', connectionId: after.id });
  }
}

function problemOf(known: SamlIdp, read: SamlIdp | undefined): MetadataProblem | null {
  if (read === undefined) return 'unreadable';
  return read.entityId === known.entityId && read.ssoUrl === known.ssoUrl ? null : 'other_provider';
}

const hasSame = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((each) => other.includes(each));
