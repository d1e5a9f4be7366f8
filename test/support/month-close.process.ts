import 'reflect-metadata';
import { AsyncLocalStorage } from 'node:async_hooks';
import { Writable } from 'node:stream';
import { MonthCloseBatch } from '../../src/modules/billing/invoices/month-close-batch.js';
import { periodOf } from '../../src/modules/billing/domain/billing-period.js';
import { OrgPlans } from '../../src/modules/orgs/org-plans.js';
import { Config } from '../../src/platform/config/config.js';
import { UnitOfWork } from '../../src/platform/database/unit-of-work.js';
import { NoSiblings } from '../../src/platform/lifecycle/sibling-processes.js';
import { openLog } from '../../src/platform/logging/log.js';
import { RequestContext } from '../../src/platform/logging/request-context.js';
import { Clock } from '../../src/platform/time/clock.js';
import { createApp } from '../../src/roles/create-app.js';
import { loadSettings } from '../../src/roles/settings.js';
import { createDataSource } from '../../src/roles/data-source.js';

/**
 * A process that closes the month before `now` for some organizations together, and kills itself (-9) at a commit:
 * before it is sent, or after it was answered. `month-close.process.ts <orgId>,<orgId> <now> before|after <which>`;
 * settings as the service has them.
 */
async function main([orgIds = '', now = '', when = '', which = '']: string[]): Promise<void> {
  const settings = loadSettings(process.env);
  const config = settings.of(Config);
  const log = openLog(
    config,
    new Writable({
      write: (_chunk, _encoding, done) => {
        done();
      },
    }),
  );
  const app = await createApp(['api'], {
    settings,
    log,
    siblings: new NoSiblings(),
    context: new RequestContext(),
    dataSource: createDataSource({ url: config.databaseUrl!, poolSize: 2 }),
  });
  await app.init();
  app.get(Clock, { strict: false }).now = () => new Date(now);
  const orgs = await app.get(OrgPlans, { strict: false }).findAll(orgIds.split(','));
  killAt(Number(which), when);
  const period = periodOf(new Date(periodOf(new Date(now)).from.getTime() - 1));
  await closing.run(true, () => app.get(MonthCloseBatch, { strict: false }).close(orgs, period));
  console.log('closed');
  process.exit(0);
}

/** Set while the month is closed: what the process commits beside it, a schedule's work for example, is not counted. */
const closing = new AsyncLocalStorage<true>();

function killAt(which: number, when: string): void {
  // eslint-disable-next-line @typescript-eslint/unbound-method
  const commit = UnitOfWork.prototype.commit;
  let commits = 0;
  UnitOfWork.prototype.commit = async function (): Promise<void> {
    if (closing.getStore() === undefined) return commit.call(this);
    commits++;
    if (commits === which && when === 'before') process.kill(process.pid, 'SIGKILL');
    await commit.call(this);
    if (commits === which && when === 'after') process.kill(process.pid, 'SIGKILL');
  };
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
