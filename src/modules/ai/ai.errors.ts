import { defineErrors } from '../../platform/errors/define-errors.js';
import { DomainError } from '../../platform/errors/domain-error.js';
import { GENERIC_ERRORS } from '../../platform/errors/generic.errors.js';
import { LIMIT_ERRORS, LimitExceeded, type LimitFacts } from '../limits/limits.errors.js';

export const AI_ERRORS = defineErrors({
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
