import { badFilter, shown } from './scim-refusal.js';

/** Providers compare one or two attributes. */
const MAX_LENGTH = 1_000;
const MAX_TERMS = 10;

/** `attribute eq value`; all terms of a filter must hold. Names are in lower case and without the URN of the schema. */
export interface FilterTerm {
  readonly attribute: string;
  readonly value: string | boolean;
}

/** Each begins where the last one ended, so that reading takes time in proportion to the text. */
const SPACE = / +/y;
const NAME = /(?:urn:ietf:params:scim:schemas:core:2\.0:(?:User|Group):)?([a-z$][\w$-]*(?:\.[a-z$][\w$-]*)?)/iy;
const OPERATOR = /[a-z]+/iy;
const TEXT = /"(?:[^"\\\u0000-\u001f]|\\.)*"/y;
const WORD = /[^\s()[\]"]+/y;

/**
 * Reads filters of RFC 7644 §3.4.2.2 that are made of `eq` and `and`, which is what providers send. A filter on the
 * values of an attribute, such as `emails[type eq "work"].value eq "a@b.c"`, is read as `emails.value eq "a@b.c"`: no
 * attribute has more than one value here.
 */
class FilterReader {
  private at = 0;

  constructor(private readonly text: string) {}

  /** @param isInner true for what is in brackets. */
  read(isInner = false): FilterTerm[] {
    const terms: FilterTerm[] = [];
    for (;;) {
      this.skip();
      terms.push(...this.term(isInner));
      if (terms.length > MAX_TERMS) throw badFilter(`A filter can have ${MAX_TERMS} comparisons.`);
      this.skip();
      if (isInner ? this.takes(']') : this.at === this.text.length) return terms;
      const joiner = this.match(OPERATOR)?.toLowerCase();
      if (joiner !== 'and') throw this.unsupported(joiner === 'or' ? '"or"' : 'What follows a comparison');
    }
  }

  private term(isInner: boolean): FilterTerm[] {
    const start = this.at;
    if (this.match(NAME) === undefined) throw this.unsupported('The beginning of a comparison');
    const name = this.text
      .slice(start, this.at)
      .replace(/^urn:.*:/i, '')
      .toLowerCase();
    if (name === 'not') throw this.unsupported('"not"');
    if (!isInner && this.takes('[')) {
      this.read(true);
      if (!this.takes('.')) throw this.unsupported('A filter on values without an attribute of theirs');
      const sub = this.match(NAME)?.toLowerCase();
      if (sub === undefined) throw this.unsupported('What follows the brackets');
      return [this.comparison(`${name}.${sub}`)];
    }
    return [this.comparison(name)];
  }

  private comparison(attribute: string): FilterTerm {
    this.skip();
    const operator = this.match(OPERATOR)?.toLowerCase();
    if (operator !== 'eq') throw this.unsupported(operator === undefined ? 'The operator' : `"${shown(operator)}"`);
    this.skip();
    return { attribute, value: this.value() };
  }

  private value(): string | boolean {
    const text = this.match(TEXT);
    if (text !== undefined) return textOf(text);
    const word = this.match(WORD)?.toLowerCase();
    if (word === 'true' || word === 'false') return word === 'true';
    throw this.unsupported('The value');
  }

  private skip(): void {
    this.match(SPACE);
  }

  private takes(sign: string): boolean {
    if (this.text[this.at] !== sign) return false;
    this.at++;
    return true;
  }

  private match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0];
    if (found !== undefined) this.at += found.length;
    return found;
  }

  private unsupported(what: string): Error {
    return badFilter(
      `${what} at position ${this.at + 1} of the filter is not supported. Compare attributes by "eq", joined by "and".`,
    );
  }
}

/** @throws {ScimRefusal} `invalidFilter` */
export function parseFilter(text: string): FilterTerm[] {
  if (text.length > MAX_LENGTH) throw badFilter(`A filter can have ${MAX_LENGTH} characters.`);
  return new FilterReader(text).read();
}

function textOf(literal: string): string {
  try {
    const text = JSON.parse(literal) as string;
    if (text.isWellFormed() && !text.includes('\0')) return text;
  } catch {
    // The pattern lets escapes through that JSON does not know.
  }
  throw badFilter('A text in the filter is not a valid JSON string.');
}
