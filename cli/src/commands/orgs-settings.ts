import type { Organization } from '@service/client';
import { type Command, InvalidArgumentError } from 'commander';
import { Context, tableOf } from '../context.js';
import { wholeNumber } from '../numbers.js';
import { organizationOf } from '../organization.js';

interface SettingsOptions {
  readonly keyLifetimeDays?: number | 'none';
}

export function addOrgsSettings(orgs: Command): void {
  orgs
    .command('settings')
    .description('print the settings of the organization; with options, change them first')
    .option('--key-lifetime-days <days>', 'the longest lifetime of new keys in days, or "none"', daysOrNone)
    .action(async ({ keyLifetimeDays }: SettingsOptions, command: Command) => {
      const context = await Context.of(command);
      const service = await context.service();
      const id = await organizationOf(context, service);
      const organization =
        keyLifetimeDays === undefined
          ? await service.orgs.get(id)
          : await service.orgs.update(id, { key_lifetime_days: keyLifetimeDays === 'none' ? null : keyLifetimeDays });
      context.print(organization, tableOf(['SETTING', 'VALUE'], rowsOf(organization)));
    });
}

const rowsOf = (organization: Organization): string[][] => [
  ['name', organization.name],
  ['slug', organization.slug],
  ['plan', organization.plan],
  ['second factor', organization.second_factor_required ? 'required' : 'not required'],
  ['longest lifetime of new keys', daysText(organization.key_lifetime_days)],
];

const daysText = (days: number | undefined): string =>
  days === undefined ? 'no limit' : `${days} ${days === 1 ? 'day' : 'days'}`;

/** @throws {InvalidArgumentError} */
function daysOrNone(text: string): number | 'none' {
  if (text === 'none') return text;
  if (/^\d+$/.test(text)) return wholeNumber(text);
  throw new InvalidArgumentError('It must be a number of days, or "none".');
}
