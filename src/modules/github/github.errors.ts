import { defineErrors } from '../../platform/errors/define-errors.js';
import { DomainError } from '../../platform/errors/domain-error.js';
import { GENERIC_ERRORS } from '../../platform/errors/generic.errors.js';

export const GITHUB_ERRORS = defineErrors({
  invalid_link_state: {
    type: 'validation_error',
    status: 400,
    title: 'The link state is wrong, used, expired or belongs to another user.',
  },
  github_access_denied: {
    type: 'authorization_error',
    status: 403,
    title: 'The user does not administer the GitHub account.',
  },
  github_installation_not_found: { type: 'not_found_error', status: 404, title: 'GitHub installation not found.' },
  github_not_connected: {
    type: 'conflict_error',
    status: 409,
    title: 'The organization has not connected this GitHub account.',
  },
});

export class GithubNotConfigured extends DomainError {
  constructor() {
    super(GENERIC_ERRORS.integration_not_configured, 'No GitHub App is configured.', {
      hint: 'Ask the operator to set GITHUB_APP_ID and its related settings, or use a repository of this service.',
    });
  }
}

/**
 * The answer is identical for an installation of another tenant and for one that never existed, so that it reveals
 * nothing.
 */
export class InstallationNotFound extends DomainError {
  constructor() {
    super(GITHUB_ERRORS.github_installation_not_found, 'Installation not found.', {
      hint: 'List the installations with GET /api/v1/integrations/github; x-service-org selects the organization.',
    });
  }
}

/** All faults of a state have the same answer, so that guessing reveals nothing. */
export class LinkStateInvalid extends DomainError {
  constructor() {
    super(GITHUB_ERRORS.invalid_link_state, 'The link state is wrong, used, expired or belongs to another user.', {
      hint: 'Start again with POST /api/v1/integrations/github/links, and finish as the same user.',
    });
  }
}

export class GithubAccessDenied extends DomainError {
  constructor(message: string, hint: string) {
    super(GITHUB_ERRORS.github_access_denied, message, { hint });
  }
}

export class InstallationTaken extends DomainError {
  constructor(account: string) {
    super(GENERIC_ERRORS.already_exists, `The installation of ${account} is connected to another organization.`, {
      hint: 'Disconnect it there first.',
      details: { account },
    });
  }
}

export class GithubNotConnected extends DomainError {
  constructor(account: string | undefined) {
    super(
      GITHUB_ERRORS.github_not_connected,
      account === undefined
        ? 'The organization has no usable GitHub account.'
        : `The organization has not connected the GitHub account ${account}.`,
      {
        hint: 'Connect one: POST /api/v1/integrations/github/links.',
        ...(account === undefined ? {} : { details: { account } }),
      },
    );
  }
}

/** GitHub has a repository of that name, which this service may or may not know. */
export class GithubNameTaken extends DomainError {
  constructor(fullName: string) {
    super(GENERIC_ERRORS.already_exists, `The repository ${fullName} already exists at GitHub.`, {
      hint: 'Choose another name, or link the existing repository to a project by its URL.',
      details: { name: fullName },
    });
  }
}

/**
 * GitHub is unavailable or refuses the call. Its message is shown to the caller, who may be able to fix the cause
 * there.
 */
export class GithubRefused extends DomainError {
  /** The status of the answer, or undefined when there was none. */
  readonly answered: number | undefined;

  constructor(status: number | undefined, said: string, cause?: unknown) {
    super(
      GENERIC_ERRORS.upstream_error,
      status === undefined ? 'GitHub is not responding.' : `GitHub answered ${status}: ${said}`,
      {
        hint: 'Retry. If it persists, check the permissions of the GitHub App and githubstatus.com.',
        details: { provider: 'github', ...(status === undefined ? {} : { status }) },
      },
      { cause },
    );
    this.answered = status;
  }
}

/** GitHub limits the rate of calls, and says when the next one may come. */
export class GithubBusy extends GithubRefused {
  constructor(
    status: number,
    said: string,
    readonly retryAfterMs: number,
  ) {
    super(status, said);
  }
}

/** A caller without a key of the scanner learns nothing else, whatever the message contains. */
export class ScanningSignatureInvalid extends DomainError {
  constructor() {
    super(GENERIC_ERRORS.invalid_signature, 'The message is not signed with a key of secret scanning.', {
      hint: 'Sign the raw body with ECDSA (P-256, SHA-256), and name a key that SECRET_SCANNING_KEYS_URL lists.',
    });
  }
}

export class SignatureInvalid extends DomainError {
  constructor() {
    super(GENERIC_ERRORS.invalid_signature, 'The delivery is not signed with the webhook secret.', {
      hint: 'Set the webhook secret of the GitHub App to GITHUB_WEBHOOK_SECRET.',
    });
  }
}
