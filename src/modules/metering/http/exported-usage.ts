import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/time/clock.js';
import type { Call } from '../../auth/caller.js';
import { ExportedAs, type PersonalDataSource } from '../../auth/personal-data.js';
import { OrgDirectory } from '../../orgs/org-directory.js';
import { monthOf } from '../month.js';
import { UsageReportService } from '../usage-report.service.js';
import { usageAnswerOf } from './usage.dto.js';

/** The usage of the personal organization by meter, project and day. */
@Injectable()
@ExportedAs('usage')
export class ExportedUsage implements PersonalDataSource {
  constructor(
    private readonly report: UsageReportService,
    private readonly orgs: OrgDirectory,
    private readonly clock: Clock,
  ) {}

  /** A month at a time, so that what is in memory does not grow with the age of the account. */
  async *read({ org }: Call): AsyncIterable<object[]> {
    const now = this.clock.now();
    let month = monthOf((await this.orgs.createdAt(org.id)) ?? now);
    while (month.start <= now) {
      const time = { from: month.start, to: month.end };
      yield usageAnswerOf(await this.report.of(org.id, time, new Set(['project', 'day'])), time)[0];
      month = monthOf(month.end);
    }
  }
}
