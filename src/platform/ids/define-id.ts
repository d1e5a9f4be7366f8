/** A kind of resource that has ids. The prefix is part of the id, so that a log line shows what the id belongs to. */
export interface IdKind<Prefix extends string = string> {
  readonly prefix: Prefix;
}

/**
 * Declares a kind of id, in the `*.ids.ts` of the module that owns the resource. The roles put all of them into one
 * catalog, which refuses a prefix that is declared twice.
 */
export const defineId = <const Prefix extends string>(prefix: Prefix): IdKind<Prefix> => Object.freeze({ prefix });
