import type { ErrorDefinition, ErrorDefinitions } from './define-errors.js';

/** Every error that the API can return, whichever module declares it. The roles assemble it. */
export class ErrorCatalog {
  private readonly byCode = new Map<string, ErrorDefinition>();

  /** @throws {Error} when a code is declared twice. */
  constructor(declarations: readonly ErrorDefinitions[]) {
    for (const definition of declarations.flatMap((each) => Object.values(each))) {
      if (this.byCode.has(definition.code)) throw new Error(`The error code ${definition.code} is declared twice.`);
      this.byCode.set(definition.code, definition);
    }
  }

  /**
   * The order is alphabetical, so that a code can move between modules without changing what is generated from the
   * list.
   */
  get definitions(): readonly ErrorDefinition[] {
    return [...this.byCode.values()].sort((a, b) => (a.code < b.code ? -1 : 1));
  }

  get codes(): readonly string[] {
    return this.definitions.map(({ code }) => code);
  }

  has(code: string): boolean {
    return this.byCode.has(code);
  }

  /** @throws {Error} for a code that no module declares. */
  get(code: string): ErrorDefinition {
    const definition = this.byCode.get(code);
    if (definition === undefined) throw new Error(`No module declares the error code ${code}.`);
    return definition;
  }
}
