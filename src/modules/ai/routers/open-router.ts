import type { RouterDeclaration } from '../catalog/models-file.js';
import { AnthropicRouter } from './anthropic.js';
import type { ModelRouter } from './model-router.js';
import { OpenAiCompatibleRouter } from './openai-compatible.js';
import { OpenRouter } from './openrouter.js';
import type { RouterTimeLimits } from './router-connection.js';

/** Opens the adapter for a router. Connections are made when they are needed. */
export function openRouter(
  declaration: RouterDeclaration,
  options: { readonly limits?: RouterTimeLimits } = {},
): ModelRouter {
  switch (declaration.type) {
    case 'openrouter':
      return new OpenRouter({ ...declaration, ...options, apiKey: declaration.apiKey! });
    case 'anthropic':
      return new AnthropicRouter({ ...declaration, ...options, apiKey: declaration.apiKey! });
    case 'openai':
      return new OpenAiCompatibleRouter({ ...declaration, ...options });
  }
}
