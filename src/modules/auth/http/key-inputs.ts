import { Injectable } from '@nestjs/common';
import { type FieldFault, RequestInvalid } from '../../../platform/errors/request-invalid.js';
import { Clock } from '../../../platform/time/clock.js';
import { normalRange } from '../domain/address-ranges.js';
import type { KeyChange, CreateKeyInput } from '../keys.service.js';
import { SCOPES_OF_PRESET } from '../scopes.js';
import type { ChangeKeyBody, CreateKeyBody } from './keys.dto.js';

const DAY_MS = 86_400_000;

/** Checks rules that concern several fields, and converts bodies to the inputs of the service. */
@Injectable()
export class KeyInputs {
  constructor(private readonly clock: Clock) {}

  /** @throws {RequestInvalid} `invalid_request`: fields that exclude or need each other. */
  ofCreation(body: CreateKeyBody): CreateKeyInput {
    const faults = faultsOf(body);
    if (faults.length > 0) throw new RequestInvalid(faults);
    const {
      kind,
      name,
      scopes,
      preset = 'full',
      org_id,
      org_ids,
      expires_at,
      expires_in_days,
      allowed_ips = [],
    } = body;
    return {
      kind,
      name,
      scopes: scopes ?? SCOPES_OF_PRESET[preset],
      orgs: org_ids ?? (org_id === undefined ? [] : [org_id]),
      allowedIps: allowed_ips.map((range) => normalRange(range)!),
      expiresAt:
        expires_in_days === undefined
          ? this.endOf(expires_at)
          : new Date(this.clock.now().getTime() + expires_in_days * DAY_MS),
    };
  }

  /** @throws {RequestInvalid} `invalid_request` */
  ofChange({ name, scopes, allowed_ips, expires_at }: ChangeKeyBody): KeyChange {
    return {
      ...(name === undefined ? {} : { name }),
      ...(scopes === undefined ? {} : { scopes }),
      ...(allowed_ips === undefined ? {} : { allowedIps: allowed_ips.map((range) => normalRange(range)!) }),
      ...(expires_at === undefined ? {} : { expiresAt: this.endOf(expires_at) }),
    };
  }

  private endOf(text: string | undefined): Date | null {
    if (text === undefined) return null;
    const at = new Date(text);
    if (at <= this.clock.now())
      throw new RequestInvalid([fault('expires_at', 'is_future', 'expires_at must be in the future')]);
    return at;
  }
}

function faultsOf({ kind, scopes, preset, org_id, org_ids, expires_at, expires_in_days }: CreateKeyBody): FieldFault[] {
  const faults: FieldFault[] = [];
  if (scopes !== undefined && preset !== undefined)
    faults.push(fault('preset', 'excludes', 'preset and scopes cannot be combined'));
  if (expires_at !== undefined && expires_in_days !== undefined)
    faults.push(fault('expires_in_days', 'excludes', 'expires_in_days and expires_at cannot be combined'));
  if (kind === 'org_bound' && org_id === undefined)
    faults.push(fault('org_id', 'is_needed', 'org_id is required for org_bound keys'));
  if (kind !== 'org_bound' && org_id !== undefined)
    faults.push(fault('org_id', 'excludes', 'org_id is allowed only for org_bound keys'));
  if (kind === 'select_orgs' && org_ids === undefined)
    faults.push(fault('org_ids', 'is_needed', 'org_ids is required for select_orgs keys'));
  if (kind !== 'select_orgs' && org_ids !== undefined)
    faults.push(fault('org_ids', 'excludes', 'org_ids is allowed only for select_orgs keys'));
  return faults;
}

const fault = (path: string, code: string, message: string): FieldFault => ({ path, in: 'body', code, message });
