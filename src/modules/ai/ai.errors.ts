import { defineErrors } from '../../platform/errors/define-errors.js';
import { DomainError } from '../../platform/errors/domain-error.js';
import { GENERIC_ERRORS } from '../../platform/errors/generic.errors.js';
import { LIMIT_ERRORS, LimitExceeded, type LimitFacts } from '../limits/limits.errors.js';

export const AI_ERRORS = defineErrors({
  provider_key_refused: {
    type: 'validation_error',
    status: 400,
    title: "The provider refuses the organization's key.",
  },
  secret_in_prompt: { type: 'validation_error', status: 400, title: 'The request contains a key of this service.' },
  model_not_allowed: {
    type: 'authorization_error',
    status: 403,
    title: 'The policy of the organization does not allow the model.',
  },
  provider_not_found: { type: 'not_found_error', status: 404, title: 'Provider not found.' },
  provider_key_not_found: { type: 'not_found_error', status: 404, title: 'The organization has no key for it.' },
  generation_content_not_found: { type: 'not_found_error', status: 404, title: 'No texts were kept.' },
  model_not_found: { type: 'not_found_error', status: 404, title: 'Model not found.' },
  generation_not_found: { type: 'not_found_error', status: 404, title: 'Generation not found.' },
  token_rate_limit_exceeded: {
    type: 'rate_limit_error',
    status: 429,
    title: 'The limit of tokens a minute is reached.',
  },
  model_router_not_configured: { type: 'api_error', status: 503, title: 'No model router is configured.' },
  model_unavailable: { type: 'api_error', status: 503, title: 'The model is temporarily unavailable.' },
});

/** No address of a router is set, so that no model can be called. */
export class ModelRouterNotConfigured extends DomainError {
  constructor() {
    super(AI_ERRORS.model_router_not_configured, 'This service has no model router.', {
      hint: 'The operator sets MODEL_ROUTER_URL, such as http://127.0.0.1:11434/v1 of Ollama, or OPENROUTER_API_KEY.',
      // The clients of OpenAI and Anthropic would send a request again after any other 503.
      headers: { 'X-Should-Retry': 'false' },
    });
  }
}

export class ModelNotFound extends DomainError {
  constructor(model: string) {
    super(AI_ERRORS.model_not_found, `No model has the ID "${model.slice(0, 200)}".`, {
      hint: 'List the models with GET /api/v1/ai/models.',
    });
  }
}

/** The provider refuses the key of the organization, or the account behind it. */
export class ProviderKeyRefused extends DomainError {
  constructor(provider: string, status: number) {
    super(AI_ERRORS.provider_key_refused, `The provider ${provider} refuses your organization's key (${status}).`, {
      hint:
        `Check the key and the credits of your account there. Set another key with PUT ` +
        `/api/v1/ai/providers/${provider}/key, or DELETE it to pay with credits.`,
      details: { provider, status },
    });
  }
}

/** A text of the request contains a valid key of this service. The key itself is never repeated. */
export class SecretInPrompt extends DomainError {
  constructor(path: string) {
    const message = `${path} contains a valid key of this service.`;
    super(AI_ERRORS.secret_in_prompt, message, {
      hint: 'Remove the key, and revoke it if others have seen it. A policy with "blocks_secrets": false allows keys.',
      details: [{ path, in: 'body', code: 'contains_key', message }],
    });
  }
}

/** Why a policy keeps a model from being called. */
export type RefusalReason = 'not_allowed' | 'denied' | 'zero_retention';

/** The policy of the organization keeps the model from being called. */
export class ModelNotAllowed extends DomainError {
  constructor(model: string, reason: RefusalReason) {
    super(AI_ERRORS.model_not_allowed, `The policy of the organization does not allow the model ${model}.`, {
      hint: 'Name another model, or change the policy with PUT /api/v1/ai/policy.',
      details: { model, reason },
    });
  }
}

export class ProviderNotFound extends DomainError {
  constructor(id: string) {
    super(AI_ERRORS.provider_not_found, `No provider that takes your keys has the ID "${id.slice(0, 100)}".`, {
      hint: 'List the providers with GET /api/v1/ai/providers.',
    });
  }
}

export class ProviderKeyNotFound extends DomainError {
  constructor(provider: string) {
    super(AI_ERRORS.provider_key_not_found, `The organization has no key for the provider ${provider}.`, {
      hint: `Set one with PUT /api/v1/ai/providers/${provider}/key.`,
    });
  }
}

/** The router refuses our account, or failed in every attempt, before a byte of the answer was sent. */
export class ModelUnavailable extends DomainError {
  constructor(model: string, retryAfterSeconds = 5, cause?: unknown) {
    super(
      AI_ERRORS.model_unavailable,
      `The model ${model} is temporarily unavailable.`,
      {
        retryAfterSeconds,
        hint: `Nothing was charged. Retry after ${retryAfterSeconds} s, or name other models in "models".`,
      },
      { cause },
    );
  }
}

/** The model, or the way to it, broke off after a part of the answer was sent. */
export class UpstreamFailed extends DomainError {
  constructor(model: string, generationId: string) {
    super(GENERIC_ERRORS.upstream_error, `The model ${model} broke off its answer.`, {
      hint: `Send the request again. What was generated is charged: GET /api/v1/ai/generations/${generationId}`,
      details: { generation: generationId },
    });
  }
}

export class GenerationNotFound extends DomainError {
  constructor(id: string) {
    super(AI_ERRORS.generation_not_found, `No generation has the ID "${id.slice(0, 100)}".`, {
      hint: 'List the generations with GET /api/v1/ai/generations. They are kept for 90 days.',
    });
  }
}

/** Retention was off when the generation ran, or is off now, or its days have passed. */
export class GenerationContentNotFound extends DomainError {
  constructor(id: string) {
    super(AI_ERRORS.generation_content_not_found, `No texts of the generation ${id} are kept.`, {
      hint: 'Texts are kept only if the policy has "retention_days": PUT /api/v1/ai/policy.',
    });
  }
}

export class ModelConcurrencyLimitExceeded extends LimitExceeded {
  constructor(facts: LimitFacts) {
    super(
      LIMIT_ERRORS.concurrency_limit_exceeded,
      `Concurrency limit reached: ${facts.limit} calls of models at a time per organization.`,
      facts,
      'Wait for a call to end, or upgrade.',
    );
  }
}

/** The call might use more tokens than the plan allows in a minute, together with those before it. */
export class TokenRateLimitExceeded extends LimitExceeded {
  constructor(facts: LimitFacts) {
    super(
      AI_ERRORS.token_rate_limit_exceeded,
      `Token limit reached: ${facts.limit} tokens a minute, ${facts.remaining} left.`,
      facts,
      'Wait for the seconds in Retry-After, lower max_tokens, or upgrade.',
    );
  }
}
