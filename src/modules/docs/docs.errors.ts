import { DomainError } from '../../platform/errors/domain-error.js';

export class PageNotFound extends DomainError {
  constructor() {
    super('page_not_found', 'There is no such page.');
  }
}
