import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { isIPv4 } from 'node:net';

const DAY_MS = 86_400_000;

/** Tags of DER (X.690). */
const TAG = {
  integer: 0x02,
  bits: 0x03,
  octets: 0x04,
  objectId: 0x06,
  utf8: 0x0c,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
  names: { dns: 0x82, ip: 0x87 },
  explicit: (number: number) => 0xa0 + number,
};

/** Encoded object identifiers. */
const ID = {
  commonName: Buffer.from('550403', 'hex'),
  subjectAltName: Buffer.from('551d11', 'hex'),
  ecdsaWithSha256: Buffer.from('2a8648ce3d040302', 'hex'),
};

export interface KeyAndCertificate {
  readonly key: string;
  readonly certificate: string;
}

/** Makes a certificate of version 3 (RFC 5280) for this name or IPv4 address, signed by its own key. */
export function selfSignedCertificate(name: string, { now, days }: { now: Date; days: number }): KeyAndCertificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = sequence(der(TAG.objectId, ID.ecdsaWithSha256));
  const subject = sequence(
    der(TAG.set, sequence(der(TAG.objectId, ID.commonName), der(TAG.utf8, Buffer.from(name.slice(0, 64))))),
  );
  const signed = sequence(
    der(TAG.explicit(0), integer(Buffer.from([2]))),
    integer(randomBytes(16)),
    algorithm,
    subject,
    // Clocks of clients may be a little behind.
    sequence(time(new Date(now.getTime() - DAY_MS)), time(new Date(now.getTime() + days * DAY_MS))),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(TAG.explicit(3), sequence(sequence(der(TAG.objectId, ID.subjectAltName), der(TAG.octets, namesOf(name))))),
  );
  const signature = sign('sha256', signed, { key: privateKey, dsaEncoding: 'der' });
  const certificate = sequence(signed, algorithm, der(TAG.bits, Buffer.concat([Buffer.alloc(1), signature])));
  return { key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string, certificate: pemOf(certificate) };
}

const namesOf = (name: string): Buffer =>
  sequence(
    isIPv4(name) ? der(TAG.names.ip, Buffer.from(name.split('.').map(Number))) : der(TAG.names.dns, Buffer.from(name)),
  );

function der(tag: number, body: Buffer): Buffer {
  if (body.length < 0x80) return Buffer.concat([Buffer.from([tag, body.length]), body]);
  const length = Buffer.from(body.length.toString(16).padStart(body.length > 0xff ? 4 : 2, '0'), 'hex');
  return Buffer.concat([Buffer.from([tag, 0x80 | length.length]), length, body]);
}

const sequence = (...parts: Buffer[]): Buffer => der(TAG.sequence, Buffer.concat(parts));

/** A positive number without leading zeros. */
function integer(bytes: Buffer): Buffer {
  const number = Buffer.from(bytes);
  if (number.length > 1) number[0] = (number[0]! & 0x7f) | 0x40;
  return der(TAG.integer, number);
}

const time = (date: Date): Buffer =>
  der(
    TAG.generalizedTime,
    Buffer.from(
      date
        .toISOString()
        .replace(/[-:T]/g, '')
        .replace(/\.\d+Z$/, 'Z'),
    ),
  );

const pemOf = (certificate: Buffer): string =>
  `-----BEGIN CERTIFICATE-----\n${certificate.toString('base64').replace(/.{64}/g, '$&\n').trim()}\n` +
  '-----END CERTIFICATE-----\n';
