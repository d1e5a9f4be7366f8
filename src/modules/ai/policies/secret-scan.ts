import { tokenKindOf } from '../../auth/token-format.js';
import { type Fields } from '../routers/upstream-json.js';

const PREFIX = 'svc_';
/** Every kind of token: one with a correct checksum is no other text. */
const TOKEN = /svc_[a-z]{3,4}_[0-9A-Za-z]{39}/y;
const TOKEN_CHARACTERS = { least: 47, most: 48 };
/** Other work gets a turn after so many characters. */
const CHARACTERS_OF_TURN = 32_768;
const CHARACTERS_OF_PART = 8;
/** A deeper place is named by what it is in. */
const MAX_PATH_PARTS = 8;

/**
 * Returns where a body contains a valid token of this service, such as `messages[2].content`, or undefined. It looks at
 * all texts and names of fields, and through the escapes of JSON that stands in a text. It takes time in proportion to
 * the size of the body, and lets other work run in between.
 */
export async function findSecret(body: Fields): Promise<string | undefined> {
  const scan = new SecretScan();
  return (await scan.isIn(body)) ? scan.placeIn(body) : undefined;
}

class SecretScan {
  private characters = 0;

  async isIn(body: unknown): Promise<boolean> {
    const rest: unknown[] = [body];
    while (rest.length > 0) {
      const value = rest.pop();
      if (typeof value === 'string') {
        if (await this.isInText(value)) return true;
      } else if (typeof value === 'object' && value !== null) {
        if (this.isTurnOver(CHARACTERS_OF_PART)) await turn();
        await this.pushParts(rest, value);
      }
    }
    return false;
  }

  /** Descends to the value that contains the token. Each level is searched again, for refused requests alone. */
  async placeIn(body: Fields): Promise<string> {
    let path = '';
    let value: unknown = body;
    for (let part = 0; part < MAX_PATH_PARTS; part++) {
      const next = await this.nextPart(value);
      if (next === undefined) break;
      path += next.part;
      value = next.value;
    }
    return path.replace(/^\./, '') || 'The body';
  }

  private async nextPart(value: unknown): Promise<{ part: string; value: unknown } | undefined> {
    if (typeof value !== 'object' || value === null) return undefined;
    for (const [name, field] of Object.entries(value)) {
      // A name that is the token itself is not repeated.
      if (await this.isInText(name)) return undefined;
      if (await this.isIn(field))
        return { part: Array.isArray(value) ? `[${name}]` : `.${name.slice(0, 64)}`, value: field };
    }
    return undefined;
  }

  private async isInText(text: string): Promise<boolean> {
    if (text.length < TOKEN_CHARACTERS.least) return false;
    return text.includes('\\u00') ? this.isInEscapedText(text) : this.isInPlainText(text);
  }

  private async isInPlainText(text: string): Promise<boolean> {
    for (let at = 0; at < text.length; at += CHARACTERS_OF_TURN) {
      // A token may lie across two pieces.
      const end = at + CHARACTERS_OF_TURN + TOKEN_CHARACTERS.most;
      const piece = text.length <= end && at === 0 ? text : text.slice(at, end);
      if (hasToken(piece)) return true;
      if (this.isTurnOver(piece.length)) await turn();
    }
    return false;
  }

  /** Reads escapes of ASCII, such as `\u005f`, in JSON that stands in a text, however often it is nested. */
  private async isInEscapedText(text: string): Promise<boolean> {
    let plain = '';
    let from = 0;
    for (let at = text.indexOf('\\'); at !== -1; at = text.indexOf('\\', at)) {
      const begin = at;
      for (; text.charCodeAt(at) === BACKSLASH; at++) if (this.isTurnOver(1)) await turn();
      const code = text.startsWith('u00', at) ? Number.parseInt(text.slice(at + 3, at + 5), 16) : Number.NaN;
      if (Number.isNaN(code)) continue;
      plain += text.slice(from, begin) + String.fromCharCode(code);
      from = at += 5;
      if (plain.length < CHARACTERS_OF_TURN) continue;
      if (await this.isInPlainText(plain)) return true;
      plain = plain.slice(-TOKEN_CHARACTERS.most);
    }
    return this.isInPlainText(plain + text.slice(from));
  }

  /** Spreading a long list over the arguments of a call would exceed the stack. */
  private async pushParts(rest: unknown[], value: object): Promise<void> {
    const names = Array.isArray(value) ? undefined : Object.keys(value);
    const parts = names ?? (value as unknown[]);
    for (const part of parts) {
      if (mayContainToken(part)) rest.push(part);
      const field = names && (value as Fields)[part as string];
      if (mayContainToken(field)) rest.push(field);
      if (this.isTurnOver(CHARACTERS_OF_PART)) await turn();
    }
  }

  private isTurnOver(characters: number): boolean {
    this.characters += characters;
    if (this.characters < CHARACTERS_OF_TURN) return false;
    this.characters = 0;
    return true;
  }
}

const BACKSLASH = 0x5c;

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Numbers and short texts contain no token, and need no place on the stack. */
const mayContainToken = (part: unknown): boolean =>
  typeof part === 'object' ? part !== null : typeof part === 'string' && part.length >= TOKEN_CHARACTERS.least;

function hasToken(text: string): boolean {
  for (let at = text.indexOf(PREFIX); at !== -1; at = text.indexOf(PREFIX, at + PREFIX.length)) {
    TOKEN.lastIndex = at;
    const [token] = TOKEN.exec(text) ?? [];
    if (token !== undefined && tokenKindOf(token) !== undefined) return true;
  }
  return false;
}
