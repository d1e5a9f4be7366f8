import type { Protocol } from '../../routers/model-router.js';
import type { AnswerForm } from './answer-form.js';
import { CHAT_FORM } from './chat-form.js';
import { MESSAGES_FORM } from './messages-form.js';
import { RESPONSES_FORM } from './responses-form.js';

export const ANSWER_FORMS: Readonly<Record<Protocol, AnswerForm>> = {
  chat_completions: CHAT_FORM,
  embeddings: CHAT_FORM,
  responses: RESPONSES_FORM,
  messages: MESSAGES_FORM,
};
