import { setTimeout as sleep } from 'node:timers/promises';
import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  type CallToolResult,
  createRequestStateCodec,
  inputRequired,
  type InputRequest,
  type InputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { McpExchange } from '../../src/modules/mcp/http/mcp-exchange.js';
import type { McpSession } from '../../src/modules/mcp/http/mcp-session.js';
import type { RequestServer, ServerPart } from '../../src/modules/mcp/http/server-part.js';
import type { TestApp } from './test-app.js';

/*
 * What the conformance suite of the protocol expects of a server under test: tools, resources and prompts by name. They
 * stand beside ours, so that the suite checks our server with all that is around it.
 */

const IMAGE = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const AUDIO = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=';

type ToolAnswer = CallToolResult | InputRequiredResult;
type Act = (context: ServerContext, given: Record<string, unknown>) => ToolAnswer | Promise<ToolAnswer>;

const states = createRequestStateCodec<Record<string, unknown>>({ key: crypto.getRandomValues(new Uint8Array(32)) });

const said = (...content: CallToolResult['content']): CallToolResult => ({ content });
const text = (words: string): CallToolResult => said({ type: 'text', text: words });
const image = { type: 'image' as const, data: IMAGE, mimeType: 'image/png' };

const ask = (message: string, name: string, type = 'string'): InputRequest =>
  inputRequired.elicit({
    message,
    requestedSchema: { type: 'object', properties: { [name]: { type } as { type: 'string' } }, required: [name] },
  });
const complete = (words: string): InputRequest =>
  inputRequired.createMessage({ messages: [{ role: 'user', content: { type: 'text', text: words } }], maxTokens: 50 });
const need = (inputRequests: Record<string, InputRequest>, requestState?: string): InputRequiredResult =>
  inputRequired({ inputRequests, ...(requestState === undefined ? {} : { requestState }) });

/** Returns the state that this server gave out, and undefined when the request has none. */
async function stateOf(context: ServerContext): Promise<Record<string, unknown> | undefined> {
  const raw = context.mcpReq.requestState<string>();
  if (raw === undefined) return undefined;
  try {
    return await states.verify(raw, context);
  } catch {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'The requestState is not one of this server.');
  }
}

const answersIn = ({ mcpReq: { inputResponses } }: ServerContext): Record<string, any> | undefined => inputResponses;

async function roundOf(context: ServerContext): Promise<ToolAnswer> {
  const state = await stateOf(context);
  if (state === undefined) return need({ step1: ask('What is your name?', 'name') }, await states.mint({ round: 1 }));
  if (state['round'] === 1)
    return need({ step2: ask('What is your favorite color?', 'color') }, await states.mint({ round: 2 }));
  const { color = 'none' } = acceptedContent<{ color?: string }>(answersIn(context), 'step2') ?? {};
  return text(`The color is ${color}.`);
}

async function confirmed(context: ServerContext): Promise<ToolAnswer> {
  const state = await stateOf(context);
  if (state === undefined || acceptedContent(answersIn(context), 'confirm') === undefined)
    return need({ confirm: ask('Please confirm', 'ok', 'boolean') }, await states.mint({ nonce: Math.random() }));
  return text('state-ok: it is confirmed, and integrity-ok.');
}

function whatTheClientCan(context: ServerContext): ToolAnswer {
  if (answersIn(context) !== undefined) return text('All inputs have come.');
  const can = (context.mcpReq.envelope as Record<string, Record<string, unknown>> | undefined)?.[
    CLIENT_CAPABILITIES_META_KEY
  ];
  const inputs = {
    ...(can?.['elicitation'] === undefined ? {} : { user_name: ask('What is your name?', 'name') }),
    ...(can?.['sampling'] === undefined ? {} : { greeting: complete('Generate a greeting') }),
    ...(can?.['roots'] === undefined ? {} : { client_roots: inputRequired.listRoots() }),
  };
  return Object.keys(inputs).length === 0 ? text('The client can give no input.') : need(inputs);
}

async function progress({ mcpReq: { _meta, notify } }: ServerContext): Promise<CallToolResult> {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return text('no-progress-token');
  for (const done of [0, 50, 100]) {
    await notify({ method: 'notifications/progress', params: { progressToken, progress: done, total: 100 } });
    await sleep(20);
  }
  return text(String(progressToken));
}

async function log({ mcpReq: { notify } }: ServerContext): Promise<CallToolResult> {
  for (const data of ['started', 'running', 'ended']) {
    await notify({ method: 'notifications/message', params: { level: 'info', data } });
    await sleep(20);
  }
  return text('Logged.');
}

const TOOLS: Readonly<Record<string, Act>> = {
  test_simple_text: () => text('This is a simple text response for testing.'),
  test_image_content: () => said(image),
  test_audio_content: () => said({ type: 'audio', data: AUDIO, mimeType: 'audio/wav' }),
  test_embedded_resource: () =>
    said({
      type: 'resource',
      resource: { uri: 'test://embedded-resource', mimeType: 'text/plain', text: 'This is an embedded resource.' },
    }),
  test_multiple_content_types: () =>
    said({ type: 'text', text: 'Multiple content types test:' }, image, {
      type: 'resource',
      resource: { uri: 'test://mixed-content-resource', mimeType: 'application/json', text: '{"test":"data"}' },
    }),
  test_error_handling: () => ({ ...text('This tool intentionally returns an error for testing'), isError: true }),
  test_tool_with_progress: progress,
  test_tool_with_logging: log,
  test_streaming_elicitation: () => text('No request of its own.'),
  test_logging_tool: async ({ mcpReq }) => {
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- The suite checks that it says nothing by itself.
    await mcpReq.log('info', 'only for a client that has set a level');
    return text('Logged.');
  },
  test_missing_capability: (context) =>
    answersIn(context)?.['llm_answer'] === undefined
      ? need({ llm_answer: complete('Reply with the single word: pong') })
      : text('The answer has come.'),
  test_input_required_result_elicitation: (context) => {
    const name = acceptedContent<{ name: string }>(answersIn(context), 'user_name')?.name;
    return typeof name === 'string' ? text(`Hello, ${name}!`) : need({ user_name: ask('What is your name?', 'name') });
  },
  test_input_required_result_sampling: (context) => {
    const answer = answersIn(context)?.['capital_question'] as { content?: { text?: string } } | undefined;
    return answer === undefined
      ? need({ capital_question: complete('What is the capital of France?') })
      : text(`The answer: ${answer.content?.text ?? ''}`);
  },
  test_input_required_result_list_roots: (context) => {
    const roots = answersIn(context)?.['client_roots']?.roots as { uri: string }[] | undefined;
    return roots === undefined
      ? need({ client_roots: inputRequired.listRoots() })
      : text(roots.map(({ uri }) => uri).join(' '));
  },
  test_input_required_result_request_state: confirmed,
  test_input_required_result_tampered_state: confirmed,
  test_input_required_result_multiple_inputs: async (context) => {
    const answers = answersIn(context);
    if (answers?.['user_name'] !== undefined && answers['greeting'] !== undefined) return text('All inputs have come.');
    const inputs = {
      user_name: ask('What is your name?', 'name'),
      greeting: complete('Generate a greeting'),
      client_roots: inputRequired.listRoots(),
    };
    return need(inputs, await states.mint({ nonce: Math.random() }));
  },
  test_input_required_result_multi_round: roundOf,
  test_input_required_result_capabilities: whatTheClientCan,
};

/** All keywords of JSON Schema 2020-12 that a list of tools must keep as they are. */
const SCHEMA_TOOL = {
  name: 'json_schema_2020_12_tool',
  description: 'Has a schema with all keywords.',
  inputSchema: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    $defs: {
      address: { $anchor: 'addressDef', type: 'object', properties: { street: { type: 'string' }, city: {} } },
    },
    properties: {
      name: { type: 'string' },
      address: { $ref: '#/$defs/address' },
      contactMethod: { type: 'string', enum: ['phone', 'email'] },
      phone: { type: 'string' },
      email: { type: 'string' },
    },
    allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
    if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
    then: { required: ['phone'] },
    else: { required: ['email'] },
    additionalProperties: false,
  },
};

const PROMPTS: Readonly<Record<string, { names: readonly string[]; messages: (given: any) => object[] }>> = {
  test_simple_prompt: { names: [], messages: () => [{ type: 'text', text: 'This is a simple prompt for testing.' }] },
  test_prompt_with_arguments: {
    names: ['arg1', 'arg2'],
    messages: ({ arg1, arg2 }) => [{ type: 'text', text: `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'` }],
  },
  test_prompt_with_embedded_resource: {
    names: ['resourceUri'],
    messages: ({ resourceUri }) => [
      { type: 'resource', resource: { uri: resourceUri, mimeType: 'text/plain', text: 'Embedded content.' } },
      { type: 'text', text: 'Please process the embedded resource above.' },
    ],
  },
  test_prompt_with_image: { names: [], messages: () => [image, { type: 'text', text: 'Please analyze the image.' }] },
  test_input_required_result_prompt: {
    names: [],
    messages: ({ context }) => [{ type: 'text', text: `Use this context: ${context}` }],
  },
};

const RESOURCES: Readonly<Record<string, object>> = {
  'test://static-text': { mimeType: 'text/plain', text: 'This is the content of the static text resource.' },
  'test://static-binary': { mimeType: 'image/png', blob: IMAGE },
};

type Handler = (request: any, context: ServerContext) => any;

/** Adds the group to the server, and leaves what it does not have to our own parts. */
class ConformanceGroup implements ServerPart {
  readonly capabilities: ServerPart['capabilities'];

  constructor(private readonly parts: readonly ServerPart[]) {
    this.capabilities = Object.assign({}, ...parts.map((part) => part.capabilities)) as ServerPart['capabilities'];
  }

  install(server: RequestServer, session: McpSession): void {
    const ours = new Map<string, Handler>();
    const recorder = { setRequestHandler: (method: string, handler: Handler) => ours.set(method, handler) };
    for (const part of this.parts) part.install(recorder as unknown as RequestServer, session);
    const added = this.handlersOver(ours);
    for (const [method, handler] of ours) server.setRequestHandler(method as 'ping', added[method] ?? handler);
  }

  private handlersOver(ours: ReadonlyMap<string, Handler>): Readonly<Record<string, Handler>> {
    const withOurs =
      (method: string, field: string, added: readonly object[]): Handler =>
      async (request, context) => ({ [field]: [...(await ours.get(method)!(request, context))[field], ...added] });
    return {
      'tools/list': withOurs('tools/list', 'tools', [
        ...Object.keys(TOOLS).map((name) => ({ name, description: 'For the suite.', inputSchema: { type: 'object' } })),
        SCHEMA_TOOL,
      ]),
      'tools/call': (request, context) => {
        const act = TOOLS[request.params.name as string];
        return act === undefined
          ? ours.get('tools/call')!(request, context)
          : act(context, (request.params.arguments ?? {}) as Record<string, unknown>);
      },
      'resources/list': withOurs(
        'resources/list',
        'resources',
        Object.keys(RESOURCES).map((uri) => ({ uri, name: uri })),
      ),
      'resources/templates/list': withOurs('resources/templates/list', 'resourceTemplates', [
        { name: 'template', uriTemplate: 'test://template/{id}/data' },
      ]),
      'resources/read': (request, context) => {
        const { uri } = request.params as { uri: string };
        const id = /^test:\/\/template\/(\w+)\/data$/.exec(uri)?.[1];
        const content =
          id === undefined
            ? RESOURCES[uri]
            : { mimeType: 'application/json', text: JSON.stringify({ id, templateTest: true }) };
        return content === undefined
          ? ours.get('resources/read')!(request, context)
          : { contents: [{ uri, ...content }] };
      },
      'prompts/list': withOurs(
        'prompts/list',
        'prompts',
        Object.entries(PROMPTS).map(([name, { names }]) => ({
          name,
          description: 'For the suite.',
          arguments: names.map((argument) => ({ name: argument, required: true })),
        })),
      ),
      'prompts/get': (request, context) => {
        const { name, arguments: given = {} } = request.params as { name: string; arguments?: object };
        const prompt = PROMPTS[name];
        if (prompt === undefined) return ours.get('prompts/get')!(request, context);
        const asked = acceptedContent(answersIn(context), 'user_context');
        if (name === 'test_input_required_result_prompt' && asked === undefined)
          return need({ user_context: ask('What context should the prompt use?', 'context') });
        const contents = prompt.messages({ ...given, ...asked });
        return { messages: contents.map((content) => ({ role: 'user', content })) };
      },
      'completion/complete': (request, context) =>
        PROMPTS[request.params.ref.name as string] === undefined
          ? ours.get('completion/complete')!(request, context)
          : { completion: { values: ['a'], hasMore: false } },
    };
  }
}

/** Adds the tools, resources and prompts of the suite to the MCP server of the app. */
export function addConformanceGroup(app: TestApp): void {
  const exchange = app.get(McpExchange);
  const { parts } = exchange as unknown as { readonly parts: readonly ServerPart[] };
  Object.assign(exchange, { parts: [new ConformanceGroup(parts)] });
}
