import { isSingleToken } from './single-token-characters.js';

/** What images cost at most with the usual models. */
const TOKENS_OF_IMAGE = 2_000;
/** What a message needs besides its text: role, separators, name. */
const TOKENS_OF_OBJECT = 4;
/** Sound and documents are bytes in base64. So many of their characters are at least one token. */
const CHARACTERS_OF_MEDIA_TOKEN = 4;
/** Other work gets a turn after so many characters. */
const CHARACTERS_OF_TURN = 131_072;

const OTHER = 0;
const LETTER = 1;
const SPACE = 2;
const CLASSES = new Uint8Array(128);
for (const [from, to] of ['AZ', 'az'].map((range) => [range.charCodeAt(0), range.charCodeAt(1)] as const))
  CLASSES.fill(LETTER, from, to + 1);
for (const space of ' \t\n\r') CLASSES[space.charCodeAt(0)] = SPACE;

/**
 * Returns more tokens than the usual tokenizers would make of the text, in one pass over its characters. Dividing the
 * bytes by a constant would be far too little for base64, random signs and rare scripts.
 */
export function estimateText(text: string): number {
  let tokens = 0;
  let at = 0;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    const kind = code < 128 ? CLASSES[code] : OTHER;
    if (kind === OTHER) {
      tokens += code < 128 ? 1 : tokensOfCharacter(code);
      at++;
      continue;
    }
    const begin = at;
    let turns = 0;
    let last = code;
    for (at++; at < text.length; at++) {
      const next = text.charCodeAt(at);
      if (next >= 128 || CLASSES[next] !== kind) break;
      if (kind === LETTER ? next < 97 !== last < 97 : next !== last) turns++;
      last = next;
    }
    const length = at - begin;
    tokens += kind === LETTER ? tokensOfWord(length, turns) : tokensOfSpace(length, turns, code, text.charCodeAt(at));
  }
  return tokens;
}

/** Long words and words that mix capitals are rarely in a vocabulary. */
const tokensOfWord = (length: number, turns: number): number =>
  length <= 16 && turns <= 1 + length / 5 ? Math.ceil(length / 3.5) : Math.ceil(length * 0.8);

/** A single space belongs to the word after it, if that begins with a letter. */
const tokensOfSpace = (length: number, turns: number, first: number, next: number): number =>
  length === 1 && first === 32 && isLetter(next) ? 0 : turns + Math.ceil(length / 16);

const isLetter = (code: number): boolean => (code < 128 ? CLASSES[code] === LETTER : isSingleToken(code));

/** A character without a token of its own is at worst a token for each byte of UTF-8: four for a pair of two halves. */
function tokensOfCharacter(code: number): number {
  if (isSingleToken(code)) return 1;
  return code < 0x800 || (code >= 0xd800 && code < 0xe000) ? 2 : 3;
}

/** The fields of a request that a model reads. The others only steer it. */
const READ_FIELDS = [
  'messages',
  'input',
  'prompt',
  'tools',
  'functions',
  'tool_choice',
  'response_format',
  'text',
  'output_config',
  'output_format',
  'prediction',
  'system',
  'instructions',
];

/**
 * Returns more tokens than the input of a request has: its texts, with 2,000 for each image, and tools and schemas as
 * JSON. It lets other work run in between, because a request may have 8 MiB.
 */
export async function estimateInput(body: Readonly<Record<string, unknown>>): Promise<number> {
  let tokens = TOKENS_OF_OBJECT;
  let characters = 0;
  const rest: unknown[] = READ_FIELDS.map((name) => body[name]);
  while (rest.length > 0) {
    const value = rest.pop();
    if (typeof value === 'string') {
      for (let at = 0; at < value.length; at += CHARACTERS_OF_TURN) {
        const piece = at === 0 && value.length <= CHARACTERS_OF_TURN ? value : value.slice(at, at + CHARACTERS_OF_TURN);
        tokens += estimateText(piece);
        characters += piece.length;
        if (characters >= CHARACTERS_OF_TURN) {
          characters = 0;
          await turn();
        }
      }
      // Quotes, commas and colons.
      tokens++;
    } else if (typeof value === 'object' && value !== null) {
      tokens += TOKENS_OF_OBJECT;
      characters += 16;
      // Spreading a long list over the arguments of a call would exceed the stack.
      if (Array.isArray(value)) for (const each of value) rest.push(each);
      else tokens += addFields(value as Readonly<Record<string, unknown>>, rest);
      if (characters >= CHARACTERS_OF_TURN) {
        characters = 0;
        await turn();
      }
    } else if (value !== undefined) {
      tokens += typeof value === 'number' ? String(value).length : 1;
    }
  }
  return tokens;
}

/** Media is counted here. Everything else is left to the caller. */
function addFields(value: Readonly<Record<string, unknown>>, rest: unknown[]): number {
  const media = tokensOfMedia(value);
  if (media !== undefined) return media;
  for (const [name, field] of Object.entries(value)) rest.push(name, field);
  return 0;
}

const IMAGES = new Set(['image_url', 'input_image', 'image']);
const MEDIA = new Set(['input_audio', 'file', 'input_file', 'document', 'video_url']);

function tokensOfMedia({ type, ...fields }: Readonly<Record<string, unknown>>): number | undefined {
  if (typeof type !== 'string') return undefined;
  // Only what stands in for the media itself is left out: text beside it, or in its place, is read by models.
  if (IMAGES.has(type)) return TOKENS_OF_IMAGE + tokensOfOthers(fields, ['image_url', 'source', 'detail']);
  if (!MEDIA.has(type)) return undefined;
  return TOKENS_OF_IMAGE + Math.ceil(JSON.stringify(fields).length / CHARACTERS_OF_MEDIA_TOKEN);
}

function tokensOfOthers(fields: Readonly<Record<string, unknown>>, known: readonly string[]): number {
  const others = Object.entries(fields).filter(([name]) => !known.includes(name));
  return others.length === 0 ? 0 : JSON.stringify(others).length;
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
