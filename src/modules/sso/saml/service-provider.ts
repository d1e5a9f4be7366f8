/** This service, as one connection presents it to its provider. */
export interface ServiceProvider {
  readonly entityId: string;
  /** Where the provider sends responses, by POST. */
  readonly acsUrl: string;
  /** PEM, PKCS #8. */
  readonly privateKey: string;
  /** PEM. */
  readonly certificate: string;
}
