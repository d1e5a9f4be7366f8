import { DomainError } from '../../../platform/errors/domain-error.js';
import { GENERIC_ERRORS } from '../../../platform/errors/generic.errors.js';

/** The variables may hold a key of another service, which must not be lost. */
export class ModelVariablesTaken extends DomainError {
  constructor(names: readonly string[]) {
    super(GENERIC_ERRORS.already_exists, `The project already has the variables ${names.join(' and ')}.`, {
      hint: 'Remove them with DELETE /api/v1/projects/{project_id}/env, then try again.',
      details: { variables: names },
    });
  }
}
