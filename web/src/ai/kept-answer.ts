import type { GenerationContent } from '@service/client';

type Frame = Readonly<Record<string, unknown>>;

const fieldsOf = (value: unknown): Frame => (typeof value === 'object' && value !== null ? (value as Frame) : {});
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** What the model has said, out of an answer that was kept as it arrived. What has another form stays as it is. */
export function saidIn({ text, content_type: type }: GenerationContent['answer']): string {
  if (!type.startsWith('text/event-stream')) return text;
  const said = text
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => pieceOf(line.slice('data: '.length)))
    .join('');
  return said === '' ? text : said;
}

/** A piece of a chat completion, of a response or of a message. */
function pieceOf(json: string): string {
  try {
    const frame = fieldsOf(JSON.parse(json));
    const { choices, delta } = frame;
    if (Array.isArray(choices)) return textOf(fieldsOf(fieldsOf(choices[0])['delta'])['content']);
    return textOf(delta) || textOf(fieldsOf(delta)['text']);
  } catch {
    // The last line of an answer that was cut off.
    return '';
  }
}
