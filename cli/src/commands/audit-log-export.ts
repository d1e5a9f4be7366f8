import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { AuditPeriod, Service } from '@service/client';
import type { Command } from 'commander';
import { Context } from '../context.js';
import { organizationOf } from '../organization.js';

export function addAuditLogExport(auditLog: Command): void {
  auditLog
    .command('export')
    .description('print the audit log of the organization, an entry of JSON in each line, oldest first')
    .option('--from <time>', 'start, such as 2026-10-01T00:00:00Z (default: the beginning)')
    .option('--to <time>', 'end, excluded (default: now)')
    .action(async (period: AuditPeriod, command: Command) => {
      const context = await Context.of(command);
      const service = await context.service();
      let entries = 0;
      const lines = linesOf(service, await organizationOf(context, service), period, () => entries++);
      // The output is not closed, and no more is read than it takes.
      await pipeline(Readable.from(lines), process.stdout, { end: false });
      context.note(`${entries} ${entries === 1 ? 'entry' : 'entries'}.`);
    });
}

async function* linesOf(
  service: Service,
  org: string,
  period: AuditPeriod,
  onEntry: () => void,
): AsyncGenerator<string, void, undefined> {
  for await (const entry of service.orgs.exportAuditLog(org, period)) {
    onEntry();
    yield `${JSON.stringify(entry)}\n`;
  }
}
