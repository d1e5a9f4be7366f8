import { randomBytes, timingSafeEqual } from 'node:crypto';
import { hmac, type ScramVerifier, sha256 } from '../../credentials/scram-verifier.js';
import { WireRefusal } from '../protocol/wire-refusal.js';

export const MECHANISM = 'SCRAM-SHA-256';
const NONCE_BYTES = 18;
const PROOF_BYTES = 32;
/** Printable ASCII without a comma. */
const NONCE = /^[\x21-\x2b\x2d-\x7e]{1,256}$/;

const malformed = (): WireRefusal => new WireRefusal('08P01', 'malformed SCRAM message');

/** One exchange of SCRAM-SHA-256 (RFC 5802, RFC 7677), from the side of the server. It never learns the password. */
export class ScramExchange {
  private constructor(
    private readonly verifier: ScramVerifier,
    private readonly header: string,
    private readonly clientFirst: string,
    private readonly nonce: string,
  ) {}

  /** @param body the body of the client's first message. @throws {WireRefusal} */
  static begin(body: Buffer, verifier: ScramVerifier, serverNonce = newNonce()): ScramExchange {
    const end = body.indexOf(0);
    if (end === -1 || body.length < end + 5) throw malformed();
    if (body.toString('latin1', 0, end) !== MECHANISM)
      throw new WireRefusal('08P01', 'client selected an invalid SASL authentication mechanism');
    const text = body.toString('utf8', end + 5);
    if (body.readInt32BE(end + 1) !== body.length - end - 5) throw malformed();

    // We offer no channel binding: `y` says that the client could, and `n` that it cannot.
    const header = text.slice(0, 3);
    if (header !== 'n,,' && header !== 'y,,') throw malformed();
    const clientFirst = text.slice(3);
    const [name = '', nonce = ''] = clientFirst.split(',', 2);
    // PostgreSQL ignores the name here too: the startup message has it.
    if (!name.startsWith('n=') || !nonce.startsWith('r=') || !NONCE.test(nonce.slice(2))) throw malformed();
    return new ScramExchange(verifier, header, clientFirst, nonce.slice(2) + serverNonce);
  }

  /** What the server answers to the first message. */
  get challenge(): string {
    return `r=${this.nonce},s=${this.verifier.salt.toString('base64')},i=${this.verifier.iterations}`;
  }

  /**
   * Checks the client's last message. Returns what proves that the server knows the verifier, or undefined when the
   * password is wrong. @throws {WireRefusal}
   */
  finish(body: Buffer): string | undefined {
    const text = body.toString('utf8');
    const at = text.lastIndexOf(',p=');
    if (at === -1) throw malformed();
    const withoutProof = text.slice(0, at);
    const expected = `c=${Buffer.from(this.header).toString('base64')},r=${this.nonce}`;
    const proof = Buffer.from(text.slice(at + 3), 'base64');
    if (withoutProof !== expected || proof.length !== PROOF_BYTES) throw malformed();

    const message = `${this.clientFirst},${this.challenge},${withoutProof}`;
    const signature = hmac(this.verifier.storedKey, message);
    const clientKey = Buffer.from(proof.map((byte, index) => byte ^ signature[index]!));
    const fits = timingSafeEqual(sha256(clientKey), this.verifier.storedKey);
    const answer = `v=${hmac(this.verifier.serverKey, message).toString('base64')}`;
    return fits ? answer : undefined;
  }
}

const newNonce = (): string => randomBytes(NONCE_BYTES).toString('base64');
