/** The values of RFC 7644 §3.12 that this service uses. */
type ScimType =
  | 'invalidFilter'
  | 'tooMany'
  | 'uniqueness'
  | 'mutability'
  | 'invalidSyntax'
  | 'invalidPath'
  | 'noTarget'
  | 'invalidValue';

interface RefusalHelp {
  readonly scimType?: ScimType;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * A refusal in the protocol of SCIM. It is no `DomainError`, because it has no code and no page: only identity
 * providers read it.
 */
export class ScimRefusal extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly help: RefusalHelp = {},
  ) {
    super(message);
    this.name = new.target.name;
  }
}

export const badValue = (message: string): ScimRefusal => new ScimRefusal(400, message, { scimType: 'invalidValue' });
export const badPath = (message: string): ScimRefusal => new ScimRefusal(400, message, { scimType: 'invalidPath' });
export const badFilter = (message: string): ScimRefusal => new ScimRefusal(400, message, { scimType: 'invalidFilter' });
export const badSyntax = (message: string): ScimRefusal => new ScimRefusal(400, message, { scimType: 'invalidSyntax' });
export const notUnique = (message: string): ScimRefusal => new ScimRefusal(409, message, { scimType: 'uniqueness' });
export const notSupported = (what: string): ScimRefusal => new ScimRefusal(501, `${what} is not supported.`);

/** The answer is the same for what does not exist and for what belongs to another connection. */
export const notFound = (kind: 'User' | 'Group', id: string): ScimRefusal =>
  new ScimRefusal(404, `${kind} ${shown(id)} not found.`);

/** Callers sent it: it may be long. */
export const shown = (text: string): string => (text.length > 100 ? `${text.slice(0, 100)}…` : text);
