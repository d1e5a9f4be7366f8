/** A whole response that has a form of its own, such as that of another API, in place of an envelope. */
export class RawAnswer {
  constructor(
    readonly body: Buffer,
    readonly contentType: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {}
}
