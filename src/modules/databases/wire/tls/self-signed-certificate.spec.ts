import { X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { selfSignedCertificate } from './self-signed-certificate.js';

const now = new Date('2049-06-01T00:00:00Z');

describe('selfSignedCertificate', () => {
  it.each([
    ['db.example.com', 'DNS:db.example.com'],
    ['127.0.0.1', 'IP Address:127.0.0.1'],
  ])('makes a certificate for %s that OpenSSL reads', (name, alternative) => {
    const { key, certificate } = selfSignedCertificate(name, { now, days: 3_650 });
    const read = new X509Certificate(certificate);
    expect(read.subject).toBe(`CN=${name}`);
    expect(read.subjectAltName).toBe(alternative);
    expect(read.verify(read.publicKey)).toBe(true);
    expect(new Date(read.validTo)).toEqual(new Date('2059-05-30T00:00:00Z'));
    expect(() => createSecureContext({ key, cert: certificate })).not.toThrow();
  });

  it('has another key and number each time, and any serial number is positive', () => {
    const made = Array.from({ length: 50 }, () => selfSignedCertificate('localhost', { now, days: 1 }));
    const numbers = made.map(({ certificate }) => new X509Certificate(certificate).serialNumber);
    expect(new Set(numbers).size).toBe(50);
    for (const number of numbers) expect(number).toMatch(/^[4-7][0-9A-F]{31}$/);
  });
});
