import type { ChatCompletionRequest, ChatMessage, ModelUsage, Service } from '@service/client';
import type { Context } from './context.js';
import { printableLines } from './terminal.js';
import { usd } from './usd.js';

export interface Answered {
  /** What arrived of the answer. */
  readonly text: string;
}

type Request = ChatCompletionRequest & { readonly stream?: false };

export const request = (model: string, messages: readonly ChatMessage[], maxTokens: number | undefined): Request => ({
  model,
  messages,
  ...(maxTokens === undefined ? {} : { max_tokens: maxTokens }),
});

/**
 * Prints an answer to standard output as it arrives, and then its cost to standard error. Resolves to what arrived when
 * the signal ends it.
 *
 * @throws {ServiceError} when the call is refused, or the model breaks off.
 */
export async function printAnswer(
  context: Context,
  service: Service,
  asked: Request,
  signal?: AbortSignal,
): Promise<Answered> {
  let text = '';
  let usage: ModelUsage | undefined;
  let generation: string | undefined;
  try {
    const stream = await service.ai.chat.completions.create(
      { ...asked, stream: true, stream_options: { include_usage: true } },
      { signal },
    );
    generation = stream.generationId;
    for await (const chunk of stream) {
      const piece = chunk.choices[0]?.delta.content ?? '';
      text += piece;
      usage = chunk.usage ?? usage;
      process.stdout.write(process.stdout.isTTY ? printableLines(piece) : piece);
    }
  } catch (error) {
    if (signal?.aborted !== true) throw error;
  } finally {
    if (text !== '' && !text.endsWith('\n')) process.stdout.write('\n');
  }
  if (generation !== undefined) context.note(context.notePaint.dim([...costOf(usage, signal), generation].join(' · ')));
  return { text };
}

function costOf(usage: ModelUsage | undefined, signal: AbortSignal | undefined): string[] {
  if (signal?.aborted === true) return ['Stopped; what was generated is charged'];
  if (usage === undefined) return [];
  const { prompt_tokens: input, completion_tokens: output = 0, cost } = usage;
  return [...(cost === undefined ? [] : [usd(cost)]), `${input} tokens in, ${output} out`];
}
