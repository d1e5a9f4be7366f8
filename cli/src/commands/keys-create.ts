import type { NewKey, Preset, Scope } from '@service/client';
import { type Command, Option } from 'commander';
import { Context } from '../context.js';
import { UsageError } from '../failures.js';
import { wholeNumber } from '../numbers.js';
import { printSecret } from './print-secret.js';

interface CreateOptions {
  readonly kind: NewKey['kind'];
  readonly preset?: Preset;
  readonly scope?: Scope[];
  readonly orgId?: string[];
  readonly expiresInDays?: number;
  readonly allowIp?: string[];
}

export function addKeysCreate(keys: Command): void {
  keys
    .command('create')
    .argument('<name>', 'what the key is for')
    .description('create a key and print only its secret to standard output; the secret is shown once')
    .addOption(
      new Option('--kind <kind>', 'the organizations that the key can reach')
        .choices(['personal', 'select_orgs', 'org_bound'])
        .default('personal'),
    )
    .addOption(
      new Option('--preset <preset>', 'a named set of scopes').choices(['read_only', 'ci_deploy', 'agent', 'full']),
    )
    .option('--scope <scope...>', 'the scopes of the key')
    .option('--org-id <id...>', 'the organizations of a select_orgs or org_bound key')
    .option('--expires-in-days <days>', 'days until the key expires', wholeNumber)
    .option('--allow-ip <range...>', 'IP addresses or CIDR ranges that may use the key')
    .action(async (name: string, options: CreateOptions, command: Command) => {
      const key = newKeyOf(name, options);
      const context = await Context.of(command);
      printSecret(context, await (await context.service()).keys.create(key));
    });
}

function newKeyOf(name: string, { kind, preset, scope, orgId = [], expiresInDays, allowIp }: CreateOptions): NewKey {
  if ((preset === undefined) === (scope === undefined))
    throw new UsageError('The rights of the key are missing or given twice. Pass either --preset or --scope.');
  return {
    name,
    ...placeOf(kind, orgId),
    ...(scope === undefined ? { preset: preset! } : { scopes: scope }),
    ...(expiresInDays === undefined ? {} : { expires_in_days: expiresInDays }),
    ...(allowIp === undefined ? {} : { allowed_ips: allowIp }),
  };
}

function placeOf(
  kind: NewKey['kind'],
  orgIds: readonly string[],
): { kind: 'personal' } | { kind: 'select_orgs'; org_ids: readonly string[] } | { kind: 'org_bound'; org_id: string } {
  switch (kind) {
    case 'personal':
      if (orgIds.length > 0) throw new UsageError('A personal key does not take --org-id. Remove the option.');
      return { kind };
    case 'select_orgs':
      if (orgIds.length === 0)
        throw new UsageError('A select_orgs key needs at least one organization. Pass --org-id.');
      return { kind, org_ids: orgIds };
    case 'org_bound':
      if (orgIds.length !== 1)
        throw new UsageError('An org_bound key needs exactly one organization. Pass --org-id once.');
      return { kind, org_id: orgIds[0]! };
  }
}
