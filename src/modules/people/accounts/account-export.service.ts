import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { AuditLogService } from '../../audit/audit-log.service.js';
import type { Call } from '../../auth/caller.js';
import { PersonalData, type PersonalDatum } from '../../auth/personal-data.js';
import { AccountAttempts } from '../attempts/account-attempts.js';

/** Exports what the service keeps about a person and in the personal organization. */
@Injectable()
export class AccountExportService {
  constructor(
    private readonly database: Database,
    private readonly data: PersonalData,
    private readonly attempts: AccountAttempts,
    private readonly audit: AuditLogService,
  ) {}

  /**
   * Reads all of it in parts. What refuses the call is thrown before the first part.
   *
   * @throws {TooManyAttempts} `burst_limit_exceeded`
   */
  async begin(call: Call): Promise<AsyncIterable<PersonalDatum[]>> {
    const { user, memberships } = call.principal;
    const own = memberships.find(({ personal }) => personal);
    // Everybody has one, and it requires no second factor.
    if (own === undefined) throw new Error(`${user.id} has no personal organization.`);
    await this.attempts.exportData(user.id);
    const act = { orgId: own.id, action: 'person.data_exported', target: { type: 'user', id: user.id } } as const;
    await this.database.transaction(() => this.audit.record(act, call));
    return this.data.read({ ...call, org: own });
  }
}
