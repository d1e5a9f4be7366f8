import { StringDecoder } from 'node:string_decoder';
import { countOf, type Fields, fieldsOf } from '../routers/upstream-json.js';

/** An answer is broken off beyond this size. */
const MAX_BYTES = 8 * 1_048_576;
/** Calls of tools after these are ignored. */
const MAX_TOOL_CALLS = 64;

/** A tool that the model calls. The arguments are JSON, if the model makes no mistake. */
export interface AskedToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/** Collects an answer in the form of chat completions, as a stream of events or as one JSON document. */
export class ChatAnswer {
  text = '';
  finishReason: string | undefined;
  inputTokens: number | undefined;
  outputTokens: number | undefined;
  /** True when the answer is longer than any model answers. */
  isTooLong = false;
  private readonly calls = new Map<number, { id: string; name: string; arguments: string }>();
  private readonly decoder = new StringDecoder();
  private bytes = 0;
  private rest = '';

  constructor(
    private readonly isStream: boolean,
    private readonly onText: (text: string) => void,
  ) {}

  get toolCalls(): AskedToolCall[] {
    return [...this.calls.entries()]
      .sort(([one], [other]) => one - other)
      .map(([, call]) => call)
      .filter(({ name }) => name !== '');
  }

  push(bytes: Buffer): void {
    this.bytes += bytes.length;
    if (this.bytes > MAX_BYTES) {
      this.isTooLong = true;
      return;
    }
    this.rest += this.decoder.write(bytes);
    if (!this.isStream) return;
    const lines = this.rest.split(/\r\n|\n|\r/);
    this.rest = lines.pop() ?? '';
    for (const line of lines) this.readLine(line);
  }

  end(): void {
    this.rest += this.decoder.end();
    if (this.isStream) this.readLine(this.rest);
    else this.read(parsed(this.rest));
    this.rest = '';
  }

  private readLine(line: string): void {
    if (line.startsWith('data:') && line.slice(5).trim() !== '[DONE]') this.read(parsed(line.slice(5)));
  }

  private read(fields: Fields): void {
    const usage = fieldsOf(fields['usage']);
    this.inputTokens = countOf(usage['prompt_tokens']) ?? this.inputTokens;
    this.outputTokens = countOf(usage['completion_tokens']) ?? this.outputTokens;
    const { choices } = fields;
    const choice = fieldsOf(Array.isArray(choices) ? (choices as unknown[])[0] : undefined);
    if (typeof choice['finish_reason'] === 'string') this.finishReason = choice['finish_reason'];
    const { content, tool_calls: calls } = fieldsOf(choice['delta'] ?? choice['message']);
    if (typeof content === 'string' && content !== '') {
      this.text += content;
      this.onText(content);
    }
    if (Array.isArray(calls))
      calls.forEach((call, place) => {
        this.readCall(fieldsOf(call), place);
      });
  }

  /** The name and the id of a call come once, and its arguments in pieces. */
  private readCall(call: Fields, place: number): void {
    const { name, arguments: part } = fieldsOf(call['function']);
    const index = countOf(call['index']) ?? place;
    let known = this.calls.get(index);
    if (known === undefined) {
      if (this.calls.size >= MAX_TOOL_CALLS) return;
      this.calls.set(index, (known = { id: `call_${index}`, name: '', arguments: '' }));
    }
    if (typeof call['id'] === 'string' && call['id'] !== '') known.id = call['id'].slice(0, 200);
    if (typeof name === 'string' && known.name === '') known.name = name.slice(0, 200);
    if (typeof part === 'string') known.arguments += part;
  }
}

function parsed(text: string): Fields {
  try {
    return fieldsOf(JSON.parse(text));
  } catch {
    // A line that is no JSON says nothing.
    return {};
  }
}
