import { DomainError } from '../../../platform/errors/domain-error.js';
import { GENERIC_ERRORS } from '../../../platform/errors/generic.errors.js';

export class StorageHostRefused extends DomainError {
  constructor(host: string, endpoint: string) {
    super(GENERIC_ERRORS.misdirected_request, `${host} is a host of object storage, but this address serves the API.`, {
      hint: `Request objects at ${endpoint}.`,
    });
  }
}
