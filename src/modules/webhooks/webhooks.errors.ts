import { defineErrors } from '../../platform/errors/define-errors.js';
import { DomainError } from '../../platform/errors/domain-error.js';
import { RequestInvalid } from '../../platform/errors/request-invalid.js';

export const WEBHOOK_ERRORS = defineErrors({
  webhook_endpoint_not_found: { type: 'not_found_error', status: 404, title: 'Webhook endpoint not found.' },
  webhook_delivery_not_found: { type: 'not_found_error', status: 404, title: 'Webhook delivery not found.' },
  webhook_endpoint_paused: { type: 'conflict_error', status: 409, title: 'The webhook endpoint is paused.' },
});

export class WebhookEndpointNotFound extends DomainError {
  constructor() {
    super(WEBHOOK_ERRORS.webhook_endpoint_not_found, 'Webhook endpoint not found in this organization.', {
      hint: 'List the endpoints with GET /api/v1/orgs/{org_id}/webhook-endpoints.',
    });
  }
}

export class WebhookDeliveryNotFound extends DomainError {
  constructor() {
    super(WEBHOOK_ERRORS.webhook_delivery_not_found, 'Webhook delivery not found. Deliveries are kept for 7 days.', {
      hint: 'List the deliveries of the endpoint.',
    });
  }
}

export class WebhookEndpointPaused extends DomainError {
  constructor() {
    super(WEBHOOK_ERRORS.webhook_endpoint_paused, 'The webhook endpoint is paused, so nothing is sent to it.', {
      hint: 'Send {"state": "active"} to it with PATCH first.',
    });
  }
}

export class TooManyWebhookEndpoints extends RequestInvalid {
  constructor(limit: number) {
    super([
      {
        path: '',
        in: 'body',
        code: 'max_endpoints',
        message: `An organization can have ${limit} webhook endpoints. Delete one that is no longer used.`,
        expected: { max: limit },
      },
    ]);
  }
}

export class WebhookUrlRefused extends RequestInvalid {
  constructor() {
    super([
      {
        path: 'url',
        in: 'body',
        code: 'is_public_url',
        message: 'url must be an https URL with the name of a public host, without a port, a user or a password.',
      },
    ]);
  }
}
