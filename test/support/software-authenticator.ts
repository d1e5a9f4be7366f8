import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

interface Answering {
  readonly challenge: string;
  readonly origin?: string;
  readonly rpId?: string;
  /** Whether the device says that it has verified its user. */
  readonly verified?: boolean;
  readonly counter?: number;
}

/** A device with one passkey, which answers as a browser passes it on, and also as no honest one would. */
export class SoftwareAuthenticator {
  readonly id = randomBytes(16);
  counter = 1;
  private readonly keys: { publicKey: KeyObject; privateKey: KeyObject } = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
  });

  constructor(private readonly home: { readonly origin: string; readonly rpId: string }) {}

  /** The answer of `navigator.credentials.create()`. */
  create(options: Answering): object {
    const { x, y } = this.keys.publicKey.export({ format: 'jwk' });
    const cose = Buffer.concat([
      Buffer.from('a5010203262001215820', 'hex'),
      Buffer.from(x!, 'base64url'),
      Buffer.from('225820', 'hex'),
      Buffer.from(y!, 'base64url'),
    ]);
    const data = Buffer.concat([
      this.authenticatorData(options, 0x40),
      Buffer.alloc(16),
      Buffer.from([0, this.id.length]),
      this.id,
      cose,
    ]);
    // A map of three: "fmt" is "none", "attStmt" is empty, and "authData".
    const attestation = Buffer.concat([
      Buffer.from('a363666d74646e6f6e656761747453746d74a068617574684461746159', 'hex'),
      Buffer.from([data.length >> 8, data.length & 0xff]),
      data,
    ]);
    return this.answer({
      clientDataJSON: this.clientData('webauthn.create', options).toString('base64url'),
      attestationObject: attestation.toString('base64url'),
      transports: ['internal'],
    });
  }

  /** The answer of `navigator.credentials.get()`. */
  get(options: Answering): object {
    this.counter = options.counter ?? this.counter + 1;
    const data = this.authenticatorData(options, 0);
    const clientData = this.clientData('webauthn.get', options);
    const signed = Buffer.concat([data, createHash('sha256').update(clientData).digest()]);
    return this.answer({
      clientDataJSON: clientData.toString('base64url'),
      authenticatorData: data.toString('base64url'),
      signature: sign('sha256', signed, this.keys.privateKey).toString('base64url'),
    });
  }

  private answer(response: object): object {
    const id = this.id.toString('base64url');
    return { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response };
  }

  private authenticatorData({ rpId = this.home.rpId, verified = true }: Answering, flags: number): Buffer {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.counter);
    const hash = createHash('sha256').update(rpId).digest();
    return Buffer.concat([hash, Buffer.from([flags | 0x01 | (verified ? 0x04 : 0)]), counter]);
  }

  private clientData(type: string, { challenge, origin = this.home.origin }: Answering): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  }
}
