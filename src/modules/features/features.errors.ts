import { defineErrors } from '../../platform/errors/define-errors.js';
import { DomainError } from '../../platform/errors/domain-error.js';
import { GENERIC_ERRORS } from '../../platform/errors/generic.errors.js';
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
});

/** The feature behind the flag is off. */
export class FeatureDisabled extends DomainError {
  constructor(flag: FlagName) {
    super(OPERATOR_ERRORS.feature_disabled, 'Disabled by the operator.', {
      hint: 'Try again later, or ask the operator.',
      details: { feature: flag },
    });
  }
}

export class FlagNotFound extends DomainError {
  constructor(known: readonly string[]) {
    super(FEATURE_ERRORS.flag_not_found, 'Feature flag not found.', {
      hint: `Use one of: ${known.join(', ')}.`,
    });
  }
}

/** Service document §4, rule 1. */
export class FlagNotAllowlisted extends DomainError {
  constructor(name: string, allowlist: readonly string[]) {
    super(FEATURE_ERRORS.flag_not_allowlisted, `The feature flag ${name} is not on the allowlist.`, {
      hint: 'Add it to FEATURE_FLAG_ALLOWLIST and restart.',
      details: { name, allowlist },
    });
  }
}

export class FlagFixed extends DomainError {
  constructor(name: string) {
    super(FEATURE_ERRORS.flag_fixed, `The feature flag ${name} is set by FEATURE_FLAGS.`, {
      hint: 'Change that setting and restart.',
      details: { name },
    });
  }
}

export class FlagVersionStale extends DomainError {
  constructor(name: string, version: number) {
    super(GENERIC_ERRORS.stale_version, `The feature flag ${name} has changed: its version is ${version}.`, {
      hint: 'Read GET /ops/features again, then retry.',
      details: { name, version },
    });
  }
}
