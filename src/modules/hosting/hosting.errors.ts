import { GENERIC_ERRORS } from '../../platform/errors/generic.errors.js';
import { DomainError } from '../../platform/errors/domain-error.js';

/** The output of a build cannot be hosted. The message is shown to the owner of the deploy. */
export class ArtifactRefused extends Error {
  override readonly name = 'ArtifactRefused';

  constructor(
    readonly code: 'output_too_large' | 'output_invalid' | 'routing_invalid' | 'storage_limit_reached',
    message: string,
  ) {
    super(message);
  }
}

/** The label belongs to another project, which keeps it. */
export class LabelTaken extends Error {
  override readonly name = 'LabelTaken';

  constructor(readonly label: string) {
    super(`The host name ${label} belongs to another project.`);
  }
}

/** The server of a deploy did not start. The message is for the owner of the deploy. */
export class ServerDidNotStart extends Error {
  override readonly name = 'ServerDidNotStart';
}

/**
 * The server of a deploy may not be started now: it failed a moment ago (`failed`), this machine has no free slot
 * (`full`), or the organization uses all the servers that its plan allows (`plan`).
 */
export class AppUnavailable extends Error {
  override readonly name = 'AppUnavailable';

  constructor(readonly reason: 'failed' | 'full' | 'plan') {
    super(`The app server was not started: ${reason}.`);
  }
}

export class MisdirectedRequest extends DomainError {
  constructor(host: string, appsUrl: string) {
    super(GENERIC_ERRORS.misdirected_request, `${host} is the host of a deploy, but this address serves the API.`, {
      hint: `Request deploys at ${appsUrl}.`,
    });
  }
}
