import { defineErrors } from '../../platform/errors/define-errors.js';
import { DomainError } from '../../platform/errors/domain-error.js';

export const SITE_ERRORS = defineErrors({
  page_not_found: { type: 'not_found_error', status: 404, title: 'Page not found.' },
});

export class PageNotFound extends DomainError {
  constructor() {
    super(SITE_ERRORS.page_not_found, 'Page not found.');
  }
}
