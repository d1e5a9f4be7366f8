import type { IdKind } from './define-id.js';

/** TypeID allows more, but short lowercase words are easy to recognize in a log line. */
const PREFIX = /^[a-z]{2,8}$/;

/** Every kind of id, whichever module declares it. The roles assemble it. */
export class IdCatalog {
  readonly prefixes: readonly string[];

  /** @throws {Error} when a prefix is declared twice, or is not a short lowercase word. */
  constructor(kinds: readonly IdKind[]) {
    this.prefixes = kinds.map(({ prefix }) => prefix);
    const invalid = this.prefixes.find((prefix) => !PREFIX.test(prefix));
    if (invalid !== undefined) throw new Error(`The id prefix ${invalid} is not 2 to 8 lowercase letters.`);
    const twice = this.prefixes.find((prefix, index) => this.prefixes.indexOf(prefix) !== index);
    if (twice !== undefined) throw new Error(`The id prefix ${twice} is declared twice.`);
  }
}
