import { GENERIC_ERRORS } from '../../platform/errors/generic.errors.js';
import { DomainError } from '../../platform/errors/domain-error.js';

/** The output of a build cannot be hosted as it is; the message is for the one who deployed. */
export class ArtifactRefused extends Error {
  override readonly name = 'ArtifactRefused';

  constructor(
    readonly code: 'output_too_large' | 'output_invalid' | 'routing_invalid' | 'storage_limit_reached',
    message: string,
  ) {
    super(message);
  }
}

/** The label leads to another project, and stays there. */
export class LabelTaken extends Error {
  override readonly name = 'LabelTaken';

  constructor(readonly label: string) {
    super(`The host name ${label} belongs to another project.`);
  }
}

/** The server of a deploy did not come up; `lastLines` is what it said last, for the one who deployed. */
export class ServerDidNotStart extends Error {
  override readonly name = 'ServerDidNotStart';

  constructor(
    message: string,
    readonly lastLines: readonly string[],
  ) {
    super(message);
  }
}

/**
 * The server of a deploy may not be started now: it failed a moment ago, as many run as this machine takes, or as many
 * of the organization as its plan allows.
 */
export class AppUnavailable extends Error {
  override readonly name = 'AppUnavailable';

  constructor(readonly reason: 'failed' | 'full' | 'plan') {
    super(`The server of an app is not started: ${reason}.`);
  }
}

export class MisdirectedRequest extends DomainError {
  constructor(host: string, appsUrl: string) {
    super(GENERIC_ERRORS.misdirected_request, `${host} is the host of a deploy, and this address answers the API.`, {
      hint: `Deploys are served at ${appsUrl}.`,
    });
  }
}
