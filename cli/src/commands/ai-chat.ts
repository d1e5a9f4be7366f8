import { text } from 'node:stream/consumers';
import { type ChatMessage, type Service, ServiceError } from '@service/client';
import type { Command } from 'commander';
import { type Answered, printAnswer, request } from '../chat.js';
import { Context } from '../context.js';
import { textOf, UsageError } from '../failures.js';
import { wholeNumber } from '../numbers.js';
import { Prompt } from '../prompt.js';

interface ChatOptions {
  readonly model?: string;
  readonly system?: string;
  readonly maxTokens?: number;
}

export function addAiChat(ai: Command): void {
  ai.command('chat')
    .argument('[model]', 'ID of a model of "service ai models" (default: the only one that there is)')
    .argument('[prompt]', 'what to ask (default: from standard input; on a terminal, a conversation)')
    .description('let a model answer: the answer goes to standard output as it arrives, its cost to standard error')
    .option('--model <id>', 'ID of the model; the first argument is the prompt then')
    .option('--system <text>', 'instructions for the model, before the conversation')
    .option('--max-tokens <number>', 'the most tokens of an answer; their price is held', wholeNumber)
    .action(async (first: string | undefined, second: string | undefined, options: ChatOptions, command: Command) => {
      if (options.model !== undefined && second !== undefined)
        throw new UsageError('The model is given twice. Pass it as the argument or with --model.');
      const context = await Context.of(command);
      const service = await context.service();
      const [id, prompt] = options.model === undefined ? [first, second] : [options.model, first];
      const chat = new Chat(context, service, id ?? (await onlyModel(service)), options);
      if (prompt === undefined && process.stdin.isTTY && !context.json) await chat.converse();
      else await chat.answer(prompt ?? (await text(process.stdin)));
    });
}

/** @throws {UsageError} when there are several models, or none. */
async function onlyModel(service: Service): Promise<string> {
  const models = (await service.ai.models.list()).filter(({ protocols }) => protocols.includes('chat_completions'));
  if (models.length === 1) return models[0]!.id;
  throw new UsageError(
    models.length === 0
      ? 'The service offers no models for conversations.'
      : `Which of the ${models.length} models? Pass its ID; "service ai models" lists them.`,
  );
}

/** A conversation with one model. */
class Chat {
  private readonly messages: ChatMessage[];

  constructor(
    private readonly context: Context,
    private readonly service: Service,
    private readonly model: string,
    private readonly options: ChatOptions,
  ) {
    this.messages = options.system === undefined ? [] : [{ role: 'system', content: options.system }];
  }

  /** @throws {UsageError} when there is nothing to ask. */
  async answer(prompt: string): Promise<void> {
    if (prompt.trim() === '') throw new UsageError('There is no prompt. Pass it as an argument or on standard input.');
    const asked = this.requestFor(prompt);
    if (this.context.json) this.context.print(await this.service.ai.chat.completions.create(asked), '');
    else await printAnswer(this.context, this.service, asked);
  }

  /** Asks and answers until the input ends. Ctrl-C ends the answer, and while nothing is answered, the conversation. */
  async converse(): Promise<void> {
    let running: AbortController | undefined;
    const prompt = new Prompt(() => {
      if (running === undefined) prompt.close();
      else running.abort();
    });
    this.context.note(this.context.notePaint.dim(`${this.model}. Ctrl-C ends an answer, Ctrl-D the conversation.`));
    try {
      for (;;) {
        const asked = await prompt.askOrEnd('> ');
        if (asked === undefined) return;
        if (asked.trim() === '') continue;
        running = new AbortController();
        await this.turn(asked, running.signal);
        running = undefined;
      }
    } finally {
      prompt.close();
      process.stderr.write('\n');
    }
  }

  /** A question that got no answer is no part of the conversation. */
  private async turn(prompt: string, signal: AbortSignal): Promise<void> {
    let answered: Answered;
    try {
      answered = await printAnswer(this.context, this.service, this.requestFor(prompt), signal);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      this.context.note(`${this.context.notePaint.red('service:')} ${textOf(error, this.context.url)}`);
      return;
    }
    if (answered.text === '') return;
    this.messages.push({ role: 'user', content: prompt }, { role: 'assistant', content: answered.text });
  }

  private requestFor(prompt: string): ReturnType<typeof request> {
    return request(this.model, [...this.messages, { role: 'user', content: prompt }], this.options.maxTokens);
  }
}
