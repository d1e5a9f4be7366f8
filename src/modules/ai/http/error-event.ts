import type { Protocol } from '../routers/model-router.js';

/**
 * Returns the event that ends a broken stream, on which the clients of the protocol fail.
 *
 * @param failure what the body would be if the status were not sent yet: `error` and `meta`.
 */
export function errorEvent(protocol: Protocol, failure: object): string {
  switch (protocol) {
    case 'chat_completions':
    case 'embeddings':
      return `data: ${JSON.stringify(failure)}\n\n`;
    case 'responses': {
      const { error } = failure as { readonly error: { readonly code: string; readonly message: string } };
      const { code, message } = error;
      // Programs without a client read these fields, and the clients of OpenAI read `error`.
      return `event: error\ndata: ${JSON.stringify({ type: 'error', code, message, param: null, ...failure })}\n\n`;
    }
    case 'messages':
      return `event: error\ndata: ${JSON.stringify({ type: 'error', ...failure })}\n\n`;
  }
}
