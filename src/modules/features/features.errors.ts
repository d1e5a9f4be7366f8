import { defineErrors } from '../../platform/errors/define-errors.js';
import { DomainError } from '../../platform/errors/domain-error.js';
import { OPERATOR_ERRORS } from '../operators/operators.errors.js';
import type { FlagName } from './flags/flags.js';

export const FEATURE_ERRORS = defineErrors({
  flag_not_allowlisted: {
    type: 'authorization_error',
    status: 403,
    title: 'The feature flag is not on the allowlist.',
  },
  flag_not_found: { type: 'not_found_error', status: 404, title: 'Feature flag not found.' },
  flag_fixed: { type: 'conflict_error', status: 409, title: 'The feature flag is set by an environment variable.' },
  stale_version: { type: 'conflict_error', status: 409, title: 'The resource has changed since it was read.' },
});

/** What the flag switches is off. */
export class FeatureDisabled extends DomainError {
  constructor(flag: FlagName) {
    super(OPERATOR_ERRORS.feature_disabled, 'Disabled by the operator.', {
      hint: 'Try again later, or ask the operator of the service.',
      details: { feature: flag },
    });
  }
}

export class FlagNotFound extends DomainError {
  constructor(known: readonly string[]) {
    super(FEATURE_ERRORS.flag_not_found, 'There is no such feature flag.', { hint: `There are ${known.join(', ')}.` });
  }
}

/** Service document §4, rule 1. */
export class FlagNotAllowlisted extends DomainError {
  constructor(name: string, allowlist: readonly string[]) {
    super(FEATURE_ERRORS.flag_not_allowlisted, `The feature flag ${name} may not be toggled here.`, {
      hint: 'FEATURE_FLAG_ALLOWLIST names the flags that may be.',
      details: { name, allowlist },
    });
  }
}

export class FlagFixed extends DomainError {
  constructor(name: string) {
    super(FEATURE_ERRORS.flag_fixed, `The environment of the service fixes the feature flag ${name}.`, {
      hint: 'Change FEATURE_FLAGS and restart.',
      details: { name },
    });
  }
}

export class FlagVersionStale extends DomainError {
  constructor(name: string, version: number) {
    super(FEATURE_ERRORS.stale_version, `The feature flag ${name} has been changed since: its version is ${version}.`, {
      hint: 'Read GET /ops/features again.',
      details: { name, version },
    });
  }
}
