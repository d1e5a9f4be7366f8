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
    super(GENERIC_ERRORS.integration_not_configured, 'This service has no GitHub App.', {
      hint: 'Its operator sets GITHUB_APP_ID and the settings beside it. Repositories of the service itself need none.',
    });
  }
}

/** To the byte the same for an installation of strangers as for one that never was. */
export class InstallationNotFound extends DomainError {
  constructor() {
    super(GITHUB_ERRORS.github_installation_not_found, 'There is no such installation.', {
      hint: 'GET /api/v1/integrations/github lists those of an organization; x-service-org says of which.',
    });
  }
}

/** One answer to every fault of a state: it tells nothing to who tries. */
export class LinkStateInvalid extends DomainError {
  constructor() {
    super(GITHUB_ERRORS.invalid_link_state, 'The link state is wrong, used, expired or belongs to another user.', {
      hint: 'Begin again: POST /api/v1/integrations/github/links. Finish as the person who began.',
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
        ? 'The organization has connected no GitHub account that can be used.'
        : `The organization has not connected the GitHub account ${account}.`,
      {
        hint: 'Connect one: POST /api/v1/integrations/github/links.',
        ...(account === undefined ? {} : { details: { account } }),
      },
    );
  }
}

/** GitHub has one of that name, which this service may or may not know. */
export class GithubNameTaken extends DomainError {
  constructor(fullName: string) {
    super(GENERIC_ERRORS.already_exists, `GitHub has a repository ${fullName} already.`, {
      hint: 'Send another name, or link that one to a project by its address.',
      details: { name: fullName },
    });
  }
}

/** GitHub is away or refuses what it should not; what it said is for the caller, who may be able to mend it there. */
export class GithubRefused extends DomainError {
  constructor(status: number | undefined, said: string, cause?: unknown) {
    super(
      GENERIC_ERRORS.upstream_error,
      status === undefined ? 'GitHub does not answer.' : `GitHub answered ${status}: ${said}`,
      {
        hint: 'Try again. If it stays, look at what the GitHub App may do, and at githubstatus.com.',
        details: { provider: 'github', ...(status === undefined ? {} : { status }) },
      },
      { cause },
    );
  }
}

export class SignatureInvalid extends DomainError {
  constructor() {
    super(GENERIC_ERRORS.invalid_signature, 'The delivery is not signed with the secret of the webhook.', {
      hint: 'The secret of the webhook in the settings of the GitHub App must be GITHUB_WEBHOOK_SECRET.',
    });
  }
}
