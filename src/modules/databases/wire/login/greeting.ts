import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { Injectable } from '@nestjs/common';
import { readBytes, readStartup } from '../protocol/read-packets.js';
import { type CancelRequest, parseStartupPacket, type StartupMessage } from '../protocol/startup-packet.js';
import { WireRefusal } from '../protocol/wire-refusal.js';
import { WireCertificate } from '../tls/wire-certificate.js';

/** The first byte of a TLS handshake. PostgreSQL 17 and newer may begin with it (`sslnegotiation=direct`). */
const HANDSHAKE = 0x16;
const ALPN = 'postgresql';
const YES = 'S';
const NO = 'N';

export type Greeting = { readonly stream: Duplex } & (
  CancelRequest | { readonly kind: 'ticket'; readonly ticket: string } | StartupMessage
);

/** Agrees with a client on TLS, and reads its first packet. */
@Injectable()
export class Greetings {
  constructor(private readonly certificate: WireCertificate) {}

  /** @throws {WireRefusal | PeerGone} */
  async greet(raw: Socket): Promise<Greeting> {
    const begin = await this.directly(raw);
    if (begin !== undefined) return this.encryptedFirst(begin);

    // Each of the two may be asked for once, in any order.
    let packet = parseStartupPacket(await readStartup(raw));
    if (packet.kind === 'gss') {
      raw.write(NO);
      packet = parseStartupPacket(await readStartup(raw));
    }
    switch (packet.kind) {
      case 'tls':
        // What was sent before the handshake could come from an attacker in between.
        if (raw.readableLength > 0) throw new WireRefusal('08P01', 'received unencrypted data after SSL request');
        raw.write(YES);
        return this.encryptedFirst(this.encrypt(raw));
      // Older clients send it without TLS. It holds nothing but the key to cancel one statement.
      case 'cancel':
        return { stream: raw, ...packet };
      case 'gss':
        throw new WireRefusal('08P01', 'GSSAPI encryption was already refused');
      case 'ticket':
      case 'startup':
        throw new WireRefusal('28000', 'connections without TLS are refused', 'Connect with sslmode=require.');
    }
  }

  private async encryptedFirst(stream: Duplex): Promise<Greeting> {
    let packet = parseStartupPacket(await readStartup(stream));
    if (packet.kind === 'gss') {
      stream.write(NO);
      packet = parseStartupPacket(await readStartup(stream));
    }
    if (packet.kind === 'tls' || packet.kind === 'gss')
      throw new WireRefusal('08P01', 'the connection is encrypted already');
    return { stream, ...packet };
  }

  /** Waits for the first byte, and returns the encrypted stream when it begins a handshake. */
  private async directly(raw: Socket): Promise<Duplex | undefined> {
    const first = await firstByte(raw);
    return first === HANDSHAKE ? this.encrypt(raw) : undefined;
  }

  private encrypt(raw: Socket): Duplex {
    const socket = new TLSSocket(raw, {
      isServer: true,
      secureContext: this.certificate.context,
      ALPNProtocols: [ALPN],
    });
    socket.on('error', () => socket.destroy());
    raw.once('close', () => socket.destroy());
    return socket;
  }
}

async function firstByte(raw: Socket): Promise<number> {
  const byte = await readBytes(raw, 1);
  raw.unshift(byte);
  return byte[0]!;
}
