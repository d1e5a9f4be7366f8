/** A message of the protocol: its type, its length, and its body. */
export function messageOf(type: string, body: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(5);
  head.write(type, 0, 'latin1');
  head.writeUInt32BE(4 + body.length, 1);
  return Buffer.concat([head, body]);
}

const AUTHENTICATION = { ok: 0, sasl: 10, saslContinue: 11, saslFinal: 12 } as const;

export function authenticationOf(step: keyof typeof AUTHENTICATION, body: Buffer | string = ''): Buffer {
  const code = Buffer.alloc(4);
  code.writeUInt32BE(AUTHENTICATION[step]);
  return messageOf('R', Buffer.concat([code, Buffer.from(body)]));
}

/** Says that only version 3.0 is spoken here, and none of the offered extensions. */
export function negotiationOf(extensions: readonly string[]): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(0, 0);
  head.writeUInt32BE(extensions.length, 4);
  return messageOf('v', Buffer.concat([head, ...extensions.map((name) => Buffer.from(`${name}\0`))]));
}

export function keyDataOf({ processId, secret }: { processId: number; secret: number }): Buffer {
  const body = Buffer.alloc(8);
  body.writeUInt32BE(processId, 0);
  body.writeUInt32BE(secret, 4);
  return messageOf('K', body);
}
