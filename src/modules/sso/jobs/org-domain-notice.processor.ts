import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { Database } from '../../../platform/database/database.js';
import type { JobHandler } from '../../../platform/background/define-job.js';
import { Handles } from '../../../platform/background/handles.js';
import { Mailer } from '../../../platform/mail/mailer.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { PersonDirectory } from '../../auth/person-directory.js';
import { challengeHostOf, challengeValueOf } from '../../dns/domain-challenge.js';
import { unicodeOf } from '../../dns/domain-name.js';
import { OrgDirectory } from '../../orgs/org-directory.js';
import type { OrgDomain } from '../domains/org-domain.js';
import { OrgDomainsStore } from '../persistence/org-domains.store.js';
import { type OrgDomainNoticePayload, orgDomainNoticeJob } from './org-domain-notice.job.js';

@Injectable()
@Handles(orgDomainNoticeJob)
export class OrgDomainNoticeProcessor implements JobHandler<OrgDomainNoticePayload> {
  constructor(
    private readonly config: Config,
    private readonly database: Database,
    private readonly orgs: OrgDirectory,
    private readonly people: PersonDirectory,
    private readonly domains: OrgDomainsStore,
    private readonly outbox: Outbox,
    private readonly mailer: Mailer,
  ) {}

  async handle({ orgId, domainId, ownerId }: OrgDomainNoticePayload): Promise<void> {
    const owners = await this.orgs.ownerIdsOf(orgId);
    if (ownerId === undefined) {
      await this.database.transaction(() =>
        this.outbox.enqueueAll(
          orgDomainNoticeJob,
          owners.map((id) => ({ orgId, domainId, ownerId: id })),
        ),
      );
      return;
    }
    const domain = await this.domains.find(orgId, domainId);
    const owner = owners.includes(ownerId) ? await this.people.find(ownerId) : undefined;
    const orgName = await this.orgs.nameOf(orgId);
    if (domain?.status !== 'paused' || owner === undefined || orgName === undefined) return;
    await this.mailer.send({
      to: owner.email,
      about: domainId,
      subject: `The domain ${unicodeOf(domain.name)} of ${orgName} was paused`,
      text: [`Hello ${owner.username},`, ...this.paragraphsOf(domain, orgName), ''].join('\n\n'),
    });
  }

  private paragraphsOf({ id, orgId, name, challengeToken }: OrgDomain, orgName: string): string[] {
    return [
      `two checks in a row found no TXT record that proves the domain ${unicodeOf(name)} of the organization ` +
        `"${orgName}". The domain is paused: SSO no longer speaks for addresses in it.`,
      'If the domain is still yours, set this record again:',
      `${challengeHostOf({ base: name })} TXT ${challengeValueOf(challengeToken)}`,
      'The next weekly check finds it. To have it checked at once, call POST ' +
        `${this.config.publicUrl}/api/v1/orgs/${orgId}/domains/${id}/verify.`,
    ];
  }
}
