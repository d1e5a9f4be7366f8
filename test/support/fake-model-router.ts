import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** The key that the fake accepts. */
export const ROUTER_KEY = 'sk-router-key-of-the-fake';

/** A model of the fake, with prices in US dollars for one token, as OpenRouter writes them. */
export interface FakeModel {
  readonly id: string;
  readonly name?: string;
  readonly contextTokens?: number | null;
  readonly maxOutputTokens?: number | null;
  readonly inputModalities?: readonly string[];
  readonly outputModalities?: readonly string[];
  /** OpenRouter's `pricing`. */
  readonly pricing?: Readonly<Record<string, string>>;
  readonly expirationDate?: string | null;
}

/** Pauses an answer until a test opens it, so that no test needs to sleep. */
export class Gate {
  private open!: () => void;
  private arrive!: () => void;
  /** Resolves once an answer waits at the gate. */
  readonly reached = new Promise<void>((resolve) => {
    this.arrive = resolve;
  });
  private readonly opened = new Promise<void>((resolve) => {
    this.open = resolve;
  });

  letGo(): void {
    this.open();
  }

  async pass(): Promise<void> {
    this.arrive();
    await this.opened;
  }
}

interface FakeUsage {
  readonly prompt: number;
  readonly completion: number;
  readonly cached?: number;
  readonly cacheWrite?: number;
}

/** What the fake answers to one request. Without any field it answers 200 with a short text. */
export interface ScriptedAnswer {
  /** The status of a failure, which has {@link body} or an error in the form of the protocol. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as it is in place of a completion: text, or JSON. */
  readonly body?: unknown;
  /** Words, each of which is a token and a frame of a stream. */
  readonly text?: string;
  readonly tools?: readonly { readonly name: string; readonly arguments: string }[];
  /** Overrides what the fake counts. */
  readonly usage?: Partial<FakeUsage>;
  readonly finishReason?: string;
  /** The number of comments before the first frame. */
  readonly comments?: number;
  /** Waits here before the first byte. */
  readonly before?: Gate;
  /** Waits here after that many frames. */
  readonly after?: { readonly frames: number; readonly gate: Gate };
  /** Closes the connection before the head of the response. */
  readonly hangsUp?: boolean;
  /** Closes the connection after that many bytes of the body. */
  readonly breaksAfterBytes?: number;
  /** Sends everything but the end, and keeps the connection open. */
  readonly neverEnds?: boolean;
  /** Ends the stream after that many frames, without a finish reason, usage and end. */
  readonly endsAfterFrames?: number;
  /** Answers 200 with an error as the body, or as the first frame of a stream. */
  readonly errorUnder200?: { readonly code: number; readonly message: string };
  /** Sends an error as a frame in the middle of the stream, after that many frames. */
  readonly errorFrame?: { readonly afterFrames: number; readonly code: number; readonly message: string };
  /** Answers without any usage. */
  readonly withoutUsage?: boolean;
}

/** What the fake has been asked. */
export interface RecordedRequest {
  readonly method: string;
  /** Without the prefix `/v1` or `/api/v1`. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  readonly body: any;
}

/** A generation as its router has billed it. */
export interface BilledGeneration {
  readonly id: string;
  readonly model: string;
  readonly prompt: number;
  readonly cached: number;
  readonly cacheWrite: number;
  /** It grows while a stream is sent, and is complete when {@link isOver} is true. */
  completion: number;
  /** What the router charges us, in nano-dollars. */
  costNano: bigint;
  isOver: boolean;
  hungUp: boolean;
}

interface FakeOptions {
  /** OpenRouter lists prices, always sends usage, and reports generations later. */
  readonly speaks?: 'openai' | 'openrouter';
}

const MODEL: FakeModel = {
  id: 'fake/small',
  name: 'Fake small',
  contextTokens: 32_768,
  maxOutputTokens: 4_096,
  pricing: { prompt: '0.000001', completion: '0.000002', input_cache_read: '0.0000001' },
};
const EMBEDDINGS: FakeModel = {
  id: 'fake/embeddings',
  contextTokens: 8_192,
  outputModalities: ['embeddings'],
  pricing: { prompt: '0.00000002', completion: '0' },
};

/**
 * A fake of the services that run models, on loopback: the APIs of OpenAI and Anthropic, and what OpenRouter adds to
 * them. It answers what a test scripts, and remembers what it was asked and what it billed for each generation.
 */
export class FakeModelRouter {
  readonly requests: RecordedRequest[] = [];
  /** The generations by ID, in the order of the requests. */
  readonly generations = new Map<string, BilledGeneration>();
  models: FakeModel[] = [MODEL, EMBEDDINGS];
  /** Keys that are accepted. */
  keys = new Set([ROUTER_KEY]);
  /** Whether a caller that closes its connection stops the bill. If false, the whole answer is billed. */
  hangUpStopsBilling = true;
  /** How many times the fake answers 404 when it is asked for a generation that it knows. */
  unknownGenerationAnswers = 0;
  /** Decides an answer by what is asked; undefined leaves it to what is scripted. */
  decide: ((body: any) => ScriptedAnswer | undefined) | undefined;
  /** Fails the next requests for the list of models. */
  listFailure: { readonly status: number; readonly body?: unknown } | undefined;
  private readonly scripted: { readonly model: string | undefined; readonly answer: ScriptedAnswer }[] = [];
  private readonly always = new Map<string, ScriptedAnswer>();
  private readonly asked = new Map<string, number>();
  private readonly sockets = new Set<Socket>();
  private count = 0;
  // A connection that is closed while it waits would fail the next call, and on a busy machine both of its attempts.
  private readonly server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    this.answer(request, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else response.writeHead(500).end(String(error));
    });
  }).on('connection', (socket) => {
    this.connections++;
    this.sockets.add(socket);
    socket.on('close', () => this.sockets.delete(socket));
  });
  /** How many connections were opened. */
  connections = 0;

  constructor(private readonly options: FakeOptions = {}) {}

  /** Starts before the app, which gets the address and the key through `settings`. */
  static use(settings: NodeJS.ProcessEnv, options: FakeOptions = {}): FakeModelRouter {
    const router = new FakeModelRouter(options);
    beforeAll(async () => {
      await router.start();
      Object.assign(
        settings,
        options.speaks === 'openrouter'
          ? { OPENROUTER_URL: router.url, OPENROUTER_API_KEY: ROUTER_KEY }
          : { MODEL_ROUTER_URL: router.url, MODEL_ROUTER_API_KEY: ROUTER_KEY },
      );
    });
    beforeEach(() => {
      router.reset();
    });
    afterAll(() => router.stop());
    return router;
  }

  async start(): Promise<void> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  /** Where OpenAI's routes begin, or OpenRouter's. */
  get url(): string {
    const { port } = this.server.address() as AddressInfo;
    return `http://127.0.0.1:${port}${this.options.speaks === 'openrouter' ? '/api' : ''}/v1`;
  }

  /** Forgets all scripts and requests. Models and generations stay. */
  reset(): void {
    this.requests.length = 0;
    this.scripted.length = 0;
    this.always.clear();
    this.decide = undefined;
    this.listFailure = undefined;
    this.hangUpStopsBilling = true;
    this.unknownGenerationAnswers = 0;
    this.asked.clear();
    this.keys = new Set([ROUTER_KEY]);
  }

  /** Scripts the next answers, in their order. */
  next(...answers: readonly ScriptedAnswer[]): void {
    this.scripted.push(...answers.map((answer) => ({ model: undefined, answer })));
  }

  /** Scripts the next answers for one model. */
  nextFor(model: string, ...answers: readonly ScriptedAnswer[]): void {
    this.scripted.push(...answers.map((answer) => ({ model, answer })));
  }

  /** Answers all requests for a model like this, unless other answers are scripted. */
  alwaysFor(model: string, answer: ScriptedAnswer): void {
    this.always.set(model, answer);
  }

  /** Requests that asked a model for something. */
  get calls(): RecordedRequest[] {
    return this.requests.filter(({ method }) => method === 'POST');
  }

  /** The generation that was begun last. */
  get lastGeneration(): BilledGeneration {
    return [...this.generations.values()].at(-1)!;
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const bytes = Buffer.concat(chunks);
    const url = new URL(request.url!, 'http://fake');
    const path = url.pathname.replace(/^(\/api)?\/v1/, '');
    const { method = 'GET', headers } = request;
    const body = bytes.length === 0 ? undefined : JSON.parse(bytes.toString());
    this.requests.push({ method, path, headers, bytes, body });

    const key = headers.authorization?.replace('Bearer ', '') ?? (headers['x-api-key'] as string | undefined);
    if (key === undefined || !this.keys.has(key)) {
      // Some services repeat the key that they refuse.
      this.fail(response, path, 401, `Incorrect API key provided: ${key ?? ''}`);
      return;
    }
    if (method === 'GET' && path === '/models') this.list(response);
    else if (method === 'GET' && path === '/generation') this.tell(response, url.searchParams.get('id') ?? '');
    else if (method === 'POST' && PROTOCOLS.has(path)) await this.generate(path, body, response);
    else this.fail(response, path, 404, `Unknown path: ${path}`);
  }

  private list(response: ServerResponse): void {
    if (this.listFailure !== undefined) {
      json(response, this.listFailure.status, this.listFailure.body ?? { error: { message: 'No list.' } });
      return;
    }
    json(response, 200, {
      object: 'list',
      data: this.models.map((model) =>
        this.options.speaks === 'openrouter'
          ? openRouterModel(model)
          : { id: model.id, object: 'model', created: 1_700_000_000, owned_by: 'fake' },
      ),
    });
  }

  private tell(response: ServerResponse, id: string): void {
    const generation = this.generations.get(id);
    const asked = (this.asked.get(id) ?? 0) + 1;
    this.asked.set(id, asked);
    if (generation?.isOver !== true || asked <= this.unknownGenerationAnswers) {
      this.fail(response, '/generation', 404, `Generation ${id} not found`);
      return;
    }
    const { model, prompt, completion, cached, costNano, hungUp } = generation;
    json(response, 200, {
      data: {
        id,
        model,
        total_cost: Number(costNano) / 1e9,
        usage: Number(costNano) / 1e9,
        // OpenRouter counts with one tokenizer for all models here, and bills the native tokens.
        tokens_prompt: prompt + 7,
        tokens_completion: completion + 7,
        native_tokens_prompt: prompt,
        native_tokens_completion: completion,
        native_tokens_cached: cached,
        cancelled: hungUp,
        finish_reason: hungUp ? null : 'stop',
        streamed: true,
        provider_name: 'Fake',
      },
    });
  }

  private async generate(path: string, body: any, response: ServerResponse): Promise<void> {
    const script = this.decide?.(body) ?? this.scriptFor(body.model as string);
    await script.before?.pass();
    if (script.hangsUp) {
      response.socket?.destroy();
      return;
    }
    if (script.status !== undefined && script.status >= 300) {
      for (const [name, value] of Object.entries(script.headers ?? {})) response.setHeader(name, value);
      if (script.body === undefined) this.fail(response, path, script.status, `Scripted failure ${script.status}`);
      else json(response, script.status, script.body);
      return;
    }
    if (!this.models.some(({ id }) => id === body.model)) {
      this.fail(response, path, 404, `The model ${String(body.model)} does not exist`);
      return;
    }
    const generation = this.begin(path, body, script);
    const writer = new BodyWriter(response, script, generation.id, this.options.speaks === 'openrouter');
    const words = path === '/embeddings' ? [] : wordsOf(script);
    if (body.stream === true) await this.stream(path, body, { script, generation, words, writer });
    else {
      generation.completion = script.usage?.completion ?? words.length;
      this.end(generation);
      const whole = script.errorUnder200
        ? { ...(path === '/messages' ? { type: 'error' } : {}), error: script.errorUnder200 }
        : (script.body ?? wholeOf(path, body, { script, generation, words, isOpenRouter: this.isOpenRouter }));
      writer.head('application/json');
      await writer.write(typeof whole === 'string' ? whole : JSON.stringify(whole));
      writer.end();
    }
  }

  private async stream(path: string, body: any, { script, generation, words, writer }: Running): Promise<void> {
    writer.head('text/event-stream');
    for (let comment = 0; comment < (script.comments ?? 0); comment++)
      await writer.write(': OPENROUTER PROCESSING\n\n');
    const { first, each, last, error } = framesOf(path, body, {
      script,
      generation,
      words,
      isOpenRouter: this.isOpenRouter,
    });
    if (script.errorUnder200) {
      this.end(generation);
      await writer.write(error(script.errorUnder200));
      writer.end();
      return;
    }
    await writer.write(first());
    for (const [index, word] of words.entries()) {
      if (script.after?.frames === index) await script.after.gate.pass();
      await turn();
      if (writer.isClosed && this.hangUpStopsBilling) break;
      if (script.errorFrame?.afterFrames === index) {
        this.end(generation);
        const { code, message } = script.errorFrame;
        await writer.write(error({ code, message }));
        writer.end();
        return;
      }
      if (script.endsAfterFrames === index) {
        this.end(generation);
        writer.end();
        return;
      }
      generation.completion++;
      await writer.write(each(word, index));
    }
    if (script.after !== undefined && script.after.frames >= words.length) await script.after.gate.pass();
    await turn();
    generation.hungUp = writer.isClosed;
    if (!generation.hungUp || !this.hangUpStopsBilling)
      generation.completion = script.usage?.completion ?? generation.completion;
    this.end(generation);
    await writer.write(last());
    writer.end();
  }

  private get isOpenRouter(): boolean {
    return this.options.speaks === 'openrouter';
  }

  private scriptFor(model: string): ScriptedAnswer {
    const index = this.scripted.findIndex((each) => each.model === undefined || each.model === model);
    if (index === -1) return this.always.get(model) ?? {};
    return this.scripted.splice(index, 1)[0]!.answer;
  }

  private begin(path: string, body: any, script: ScriptedAnswer): BilledGeneration {
    const id = `${ID_PREFIXES[path] ?? 'gen'}_${++this.count}`;
    const generation = {
      id,
      model: body.model as string,
      prompt: script.usage?.prompt ?? promptTokensOf(body),
      cached: script.usage?.cached ?? 0,
      cacheWrite: script.usage?.cacheWrite ?? 0,
      completion: 0,
      costNano: 0n,
      isOver: false,
      hungUp: false,
    };
    this.generations.set(id, generation);
    return generation;
  }

  private end(generation: BilledGeneration): void {
    const { pricing = {} } = this.models.find(({ id }) => id === generation.model) ?? {};
    const nano = (field: string): number => Number(pricing[field] ?? 0) * 1e9;
    const { prompt, cached, cacheWrite, completion } = generation;
    generation.costNano = BigInt(
      Math.round(
        (prompt - cached - cacheWrite) * nano('prompt') +
          cached * nano('input_cache_read') +
          cacheWrite * nano('input_cache_write') +
          completion * nano('completion'),
      ),
    );
    generation.isOver = true;
  }

  private fail(response: ServerResponse, path: string, status: number, message: string): void {
    json(
      response,
      status,
      path === '/messages'
        ? { type: 'error', error: { type: 'fake_error', message } }
        : { error: { message, type: 'fake_error', code: status } },
    );
  }
}

const ID_PREFIXES: Readonly<Record<string, string>> = { '/messages': 'msg', '/responses': 'resp' };
const PROTOCOLS = new Set(['/chat/completions', '/embeddings', '/responses', '/messages']);

interface Generating {
  readonly script: ScriptedAnswer;
  readonly generation: BilledGeneration;
  readonly words: readonly string[];
  readonly isOpenRouter: boolean;
}

type Running = Omit<Generating, 'isOpenRouter'> & { readonly writer: BodyWriter };

/** Writes a body with the faults that are scripted for it. */
class BodyWriter {
  private written = 0;

  constructor(
    private readonly response: ServerResponse,
    private readonly script: ScriptedAnswer,
    private readonly generationId: string,
    private readonly isOpenRouter: boolean,
  ) {}

  get isClosed(): boolean {
    return this.response.destroyed || this.response.socket === null || this.response.socket.destroyed;
  }

  head(contentType: string): void {
    this.response.writeHead(200, {
      'Content-Type': contentType,
      ...(this.isOpenRouter ? { 'X-Generation-Id': this.generationId } : {}),
      ...this.script.headers,
    });
    this.response.flushHeaders();
  }

  async write(text: string): Promise<void> {
    if (this.isClosed || text === '') return;
    const bytes = Buffer.from(text);
    const room = (this.script.breaksAfterBytes ?? Infinity) - this.written;
    this.written += bytes.length;
    if (bytes.length >= room) {
      await new Promise<void>((resolve) => {
        this.response.write(bytes.subarray(0, room), () => {
          resolve();
        });
      });
      this.response.socket?.destroy();
      return;
    }
    if (this.response.write(bytes)) return;
    await Promise.race([once(this.response, 'drain'), once(this.response, 'close')]);
  }

  end(): void {
    if (!this.isClosed && this.script.neverEnds !== true) this.response.end();
  }
}

/** Lets a closed connection be noticed between two frames. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const wordsOf = ({ text = 'Hello from the fake.', tools }: ScriptedAnswer): string[] =>
  // A pattern that takes a word of many megabytes at once can exceed what V8 keeps for going back.
  tools === undefined ? text.split(/(?<=\s)(?=\S)/) : tools.map(({ arguments: given }) => given);

/** Four bytes of the conversation are a token. */
function promptTokensOf(body: any): number {
  const prompt: unknown = body.messages ?? body.input ?? '';
  return Math.ceil(Buffer.byteLength(JSON.stringify([body.system ?? '', prompt])) / 4);
}

/** The answer without a stream. */
function wholeOf(path: string, body: any, generating: Generating): unknown {
  const { script, generation, words } = generating;
  const { id, model } = generation;
  const usage = script.withoutUsage ? {} : { usage: usageOf(path, generating) };
  const text = words.join('');
  const created = 1_700_000_000;
  switch (path) {
    case '/embeddings': {
      const inputs: readonly unknown[] = Array.isArray(body.input) ? body.input : [body.input];
      return {
        ...(generating.isOpenRouter ? { id } : {}),
        object: 'list',
        model,
        data: inputs.map((_, index) => ({ object: 'embedding', index, embedding: [0.25, -0.5, index] })),
        ...usage,
      };
    }
    case '/messages':
      return {
        id,
        type: 'message',
        role: 'assistant',
        model,
        content: script.tools?.map(toolUse) ?? [{ type: 'text', text }],
        stop_reason: stopReasonOf(script),
        stop_sequence: null,
        ...usage,
      };
    case '/responses':
      return {
        ...responseOf(generating),
        status: script.finishReason === undefined ? 'completed' : 'incomplete',
        incomplete_details: script.finishReason === undefined ? null : { reason: script.finishReason },
        output: script.tools?.map(functionCall) ?? [outputMessage(text)],
        ...usage,
      };
    default:
      return {
        id,
        object: 'chat.completion',
        created,
        model,
        choices: [
          {
            index: 0,
            message: {
              role: 'assistant',
              content: script.tools ? null : text,
              ...(script.tools ? { tool_calls: script.tools.map(toolCall) } : {}),
            },
            finish_reason: finishReasonOf(script),
          },
        ],
        ...usage,
      };
  }
}

interface Frames {
  readonly first: () => string;
  readonly each: (word: string, index: number) => string;
  readonly last: () => string;
  readonly error: (error: { readonly code: number; readonly message: string }) => string;
}

function framesOf(path: string, body: any, generating: Generating): Frames {
  if (path === '/messages') return messageFrames(generating);
  if (path === '/responses') return responseFrames(generating);
  const { script, generation } = generating;
  const chunk = (fields: object): string =>
    `data: ${JSON.stringify({
      id: generation.id,
      object: 'chat.completion.chunk',
      created: 1_700_000_000,
      model: generation.model,
      ...fields,
    })}\n\n`;
  const choice = (delta: object, finishReason: string | null = null): string =>
    chunk({ choices: [{ index: 0, delta, finish_reason: finishReason }] });
  const showsUsage = !script.withoutUsage && (generating.isOpenRouter || body.stream_options?.include_usage === true);
  return {
    first: () => choice({ role: 'assistant', content: script.tools ? null : '' }),
    each: (word, index) =>
      choice(script.tools ? { tool_calls: [{ index, ...toolCall(script.tools[index]!, index) }] } : { content: word }),
    last: () =>
      choice({}, finishReasonOf(script)) +
      (showsUsage ? chunk({ choices: [], usage: usageOf(path, generating) }) : '') +
      'data: [DONE]\n\n',
    error: (error) => `data: ${JSON.stringify({ id: generation.id, error })}\n\n`,
  };
}

function messageFrames(generating: Generating): Frames {
  const { script, generation } = generating;
  const event = (type: string, fields: object): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
  const usage = (): any => usageOf('/messages', generating);
  const begin = (index: number, block: object): string => event('content_block_start', { index, content_block: block });
  const tools = script.tools?.map(toolUse);
  return {
    first: () => {
      // The price is known only at the end.
      const counted = { ...usage(), output_tokens: 1, cost: undefined, is_byok: undefined };
      return (
        event('message_start', {
          message: {
            id: generation.id,
            type: 'message',
            role: 'assistant',
            model: generation.model,
            content: [],
            stop_reason: null,
            stop_sequence: null,
            ...(script.withoutUsage ? {} : { usage: counted }),
          },
        }) +
        event('ping', {}) +
        (tools === undefined ? begin(0, { type: 'text', text: '' }) : '')
      );
    },
    each: (text, index) =>
      tools === undefined
        ? event('content_block_delta', { index: 0, delta: { type: 'text_delta', text } })
        : begin(index, { ...tools[index], input: {} }) +
          event('content_block_delta', { index, delta: { type: 'input_json_delta', partial_json: text } }) +
          event('content_block_stop', { index }),
    last: () => {
      const counted = { ...usage(), input_tokens: undefined };
      return (
        (tools === undefined ? event('content_block_stop', { index: 0 }) : '') +
        event('message_delta', {
          delta: { stop_reason: stopReasonOf(script), stop_sequence: null },
          ...(script.withoutUsage ? {} : { usage: counted }),
        }) +
        event('message_stop', {})
      );
    },
    error: ({ message }) => event('error', { error: { type: 'overloaded_error', message } }),
  };
}

function responseFrames(generating: Generating): Frames {
  const { script, words } = generating;
  let number = 0;
  const event = (type: string, fields: object): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: number++, ...fields })}\n\n`;
  const text = words.join('');
  const part = { item_id: 'msg_1', output_index: 0, content_index: 0 };
  const tools = script.tools?.map(functionCall);
  return {
    first: () => {
      const response = { ...responseOf(generating), status: 'in_progress', output: [], usage: null };
      return (
        event('response.created', { response }) +
        event('response.in_progress', { response }) +
        (tools === undefined
          ? event('response.output_item.added', { output_index: 0, item: { ...outputMessage(''), content: [] } }) +
            event('response.content_part.added', { ...part, part: outputText('') })
          : '')
      );
    },
    each: (word, index) => {
      const tool = tools?.[index];
      const at = { item_id: tool?.id, output_index: index };
      return tool === undefined
        ? event('response.output_text.delta', { ...part, delta: word, logprobs: [] })
        : event('response.output_item.added', { output_index: index, item: { ...tool, arguments: '' } }) +
            event('response.function_call_arguments.delta', { ...at, delta: word }) +
            event('response.function_call_arguments.done', { ...at, name: tool.name, arguments: word }) +
            event('response.output_item.done', { output_index: index, item: tool });
    },
    last: () =>
      (tools === undefined
        ? event('response.output_text.done', { ...part, text, logprobs: [] }) +
          event('response.content_part.done', { ...part, part: outputText(text) }) +
          event('response.output_item.done', { output_index: 0, item: outputMessage(text) })
        : '') +
      event(script.finishReason === undefined ? 'response.completed' : 'response.incomplete', {
        response: wholeOf('/responses', {}, generating),
      }),
    error: ({ message }) =>
      event('response.failed', {
        response: { ...responseOf(generating), status: 'failed', error: { code: 'server_error', message } },
      }),
  };
}

const responseOf = ({ generation }: Generating): object => ({
  id: generation.id,
  object: 'response',
  created_at: 1_700_000_000,
  model: generation.model,
  error: null,
});

const outputText = (text: string): object => ({ type: 'output_text', text, annotations: [] });

const outputMessage = (text: string): object => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [outputText(text)],
});

function usageOf(path: string, { generation, isOpenRouter }: Generating): object {
  const { prompt, completion, cached, cacheWrite, costNano } = generation;
  const purchase = isOpenRouter ? { cost: Number(costNano) / 1e9, is_byok: false } : {};
  if (path === '/messages')
    return {
      input_tokens: prompt - cached - cacheWrite,
      cache_read_input_tokens: cached,
      cache_creation_input_tokens: cacheWrite,
      output_tokens: completion,
      ...purchase,
    };
  if (path === '/responses')
    return {
      input_tokens: prompt,
      input_tokens_details: { cached_tokens: cached, ...(isOpenRouter ? { cache_write_tokens: cacheWrite } : {}) },
      output_tokens: completion,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: prompt + completion,
      ...purchase,
    };
  return {
    prompt_tokens: prompt,
    ...(path === '/embeddings'
      ? { total_tokens: prompt }
      : {
          completion_tokens: completion,
          total_tokens: prompt + completion,
          prompt_tokens_details: {
            cached_tokens: cached,
            ...(isOpenRouter ? { cache_write_tokens: cacheWrite } : {}),
          },
          completion_tokens_details: { reasoning_tokens: 0 },
        }),
    ...purchase,
  };
}

const finishReasonOf = ({ finishReason, tools }: ScriptedAnswer): string =>
  finishReason ?? (tools === undefined ? 'stop' : 'tool_calls');

const toolCall = (tool: { readonly name: string; readonly arguments: string }, index = 0): object => ({
  id: `call_${index + 1}`,
  type: 'function',
  function: tool,
});

const stopReasonOf = ({ finishReason, tools }: ScriptedAnswer): string =>
  finishReason ?? (tools === undefined ? 'end_turn' : 'tool_use');

const toolUse = (tool: { readonly name: string; readonly arguments: string }, index: number): object => ({
  type: 'tool_use',
  id: `toolu_${index + 1}`,
  name: tool.name,
  input: JSON.parse(tool.arguments),
});

interface FunctionCall {
  readonly type: 'function_call';
  readonly id: string;
  readonly call_id: string;
  readonly name: string;
  readonly arguments: string;
  readonly status: 'completed';
}

const functionCall = (tool: { readonly name: string; readonly arguments: string }, index: number): FunctionCall => ({
  type: 'function_call',
  id: `fc_${index + 1}`,
  call_id: `call_${index + 1}`,
  status: 'completed',
  ...tool,
});

const openRouterModel = (model: FakeModel): object => ({
  id: model.id,
  name: model.name ?? model.id,
  created: 1_700_000_000,
  context_length: model.contextTokens ?? null,
  architecture: {
    input_modalities: model.inputModalities ?? ['text'],
    output_modalities: model.outputModalities ?? ['text'],
    tokenizer: 'Other',
  },
  pricing: model.pricing ?? {},
  top_provider: { context_length: model.contextTokens ?? null, max_completion_tokens: model.maxOutputTokens ?? null },
  expiration_date: model.expirationDate ?? null,
});

function json(response: ServerResponse, status: number, body: unknown): void {
  response
    .writeHead(status, { 'Content-Type': 'application/json' })
    .end(typeof body === 'string' ? body : JSON.stringify(body));
}
