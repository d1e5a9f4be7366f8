import { defineErrors } from '../../platform/errors/define-errors.js';
import { DomainError } from '../../platform/errors/domain-error.js';

export const DOCS_ERRORS = defineErrors({
  page_not_found: { type: 'not_found_error', status: 404, title: 'Page not found.' },
});

export class PageNotFound extends DomainError {
  constructor() {
    super(DOCS_ERRORS.page_not_found, 'Page not found.');
  }
}
