import { DomainError } from '../../platform/errors/domain-error.js';
import type { FlagName } from './flags.js';

/** What the flag switches is off. */
export class FeatureDisabled extends DomainError {
  constructor(flag: FlagName) {
    super('feature_disabled', 'Whoever runs this service has switched this off for now.', {
      hint: 'Try again later, or ask who runs the service.',
      details: { feature: flag },
    });
  }
}

export class FlagNotFound extends DomainError {
  constructor(known: readonly string[]) {
    super('flag_not_found', 'There is no such feature flag.', { hint: `There are ${known.join(', ')}.` });
  }
}

/** Service document §4, rule 1. */
export class FlagNotAllowlisted extends DomainError {
  constructor(name: string, allowlist: readonly string[]) {
    super('flag_not_allowlisted', `The feature flag ${name} may not be toggled here.`, {
      hint: 'FEATURE_FLAG_ALLOWLIST names the flags that may be.',
      details: { name, allowlist },
    });
  }
}

export class FlagFixed extends DomainError {
  constructor(name: string) {
    super('flag_fixed', `The environment of the service fixes the feature flag ${name}.`, {
      hint: 'Change FEATURE_FLAGS and restart.',
      details: { name },
    });
  }
}

export class FlagVersionStale extends DomainError {
  constructor(name: string, version: number) {
    super('stale_version', `The feature flag ${name} has been changed since: its version is ${version}.`, {
      hint: 'Read GET /ops/features again.',
      details: { name, version },
    });
  }
}
