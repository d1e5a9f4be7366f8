import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import type { JobHandler } from '../../../platform/background/define-job.js';
import { Handles } from '../../../platform/background/handles.js';
import { Mailer } from '../../../platform/mail/mailer.js';
import { challengeHostOf, challengeValueOf } from '../../dns/domain-challenge.js';
import { unicodeOf } from '../../dns/domain-name.js';
import { OwnerNotices } from '../../orgs/owner-notices.js';
import type { OrgDomain } from '../domains/org-domain.js';
import { OrgDomainsStore } from '../persistence/org-domains.store.js';
import { type OrgDomainNoticePayload, orgDomainNoticeJob } from './org-domain-notice.job.js';

@Injectable()
@Handles(orgDomainNoticeJob)
export class OrgDomainNoticeProcessor implements JobHandler<OrgDomainNoticePayload> {
  constructor(
    private readonly config: Config,
    private readonly notices: OwnerNotices,
    private readonly domains: OrgDomainsStore,
    private readonly mailer: Mailer,
  ) {}

  async handle(notice: OrgDomainNoticePayload): Promise<void> {
    const { orgId, domainId } = notice;
    const recipient = await this.notices.recipientOf(orgDomainNoticeJob, notice);
    const domain = recipient && (await this.domains.find(orgId, domainId));
    if (recipient === undefined || domain?.status !== 'paused') return;
    const { owner, orgName } = recipient;
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
