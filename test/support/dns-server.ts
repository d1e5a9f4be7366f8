import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';

const TYPES = { A: 1, CNAME: 5, TXT: 16, AAAA: 28 } as const;
export type DnsRecordType = keyof typeof TYPES;

const NXDOMAIN = 3;
const SERVFAIL = 2;
const HEADER_BYTES = 12;

/** A name server on this machine that answers from a table, for TXT, CNAME, A and AAAA over UDP (RFC 1035). */
export class DnsServer {
  private readonly socket: Socket = createSocket('udp4');
  private readonly zones = new Map<string, Partial<Record<DnsRecordType, readonly string[]>>>();
  /** The questions so far, such as `TXT _service-challenge.example.com`. */
  readonly asked: string[] = [];
  /** Answers SERVFAIL to everything while it is set. */
  isBroken = false;

  async start(): Promise<void> {
    this.socket.on('message', (message, from) => {
      this.answer(message, from);
    });
    this.socket.bind(0, '127.0.0.1');
    await once(this.socket, 'listening');
  }

  stop(): void {
    this.socket.close();
  }

  get address(): string {
    return `127.0.0.1:${this.socket.address().port}`;
  }

  /** Replaces the records of a type; without values it removes them. `*.example.com` answers for all names below. */
  set(name: string, type: DnsRecordType, ...values: string[]): void {
    this.zones.set(name, { ...this.zones.get(name), [type]: values });
  }

  /** Removes all records of all names. */
  clear(): void {
    this.zones.clear();
  }

  private answer(message: Buffer, from: RemoteInfo): void {
    const { name, end } = nameAt(message, HEADER_BYTES);
    const typeId = message.readUInt16BE(end);
    const type = (Object.keys(TYPES) as DnsRecordType[]).find((each) => TYPES[each] === typeId);
    this.asked.push(`${type ?? typeId} ${name}`);
    const records = this.isBroken || type === undefined ? [] : this.recordsOf(name, type);
    const exists = this.zoneOf(name) !== undefined;
    const head = Buffer.from(message.subarray(0, HEADER_BYTES));
    head.writeUInt16BE(0x8180 | (this.isBroken ? SERVFAIL : exists ? 0 : NXDOMAIN), 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(records.length, 6);
    head.writeUInt32BE(0, 8);
    const question = message.subarray(HEADER_BYTES, end + 4);
    this.socket.send(Buffer.concat([head, question, ...records.map(encoded)]), from.port, from.address);
  }

  /** A CNAME is answered for every type, with what it leads to where this server knows it. */
  private recordsOf(name: string, type: DnsRecordType, depth = 0): EncodableRecord[] {
    const zone = this.zoneOf(name) ?? {};
    const own = (zone[type] ?? []).map((value) => ({ name, type, value }));
    const aliases = type === 'CNAME' || depth > 4 ? [] : (zone.CNAME ?? []);
    return [
      ...aliases.map((value) => ({ name, type: 'CNAME' as const, value })),
      ...own,
      ...aliases.flatMap((target) => this.recordsOf(target, type, depth + 1)),
    ];
  }

  private zoneOf(name: string): Partial<Record<DnsRecordType, readonly string[]>> | undefined {
    return this.zones.get(name) ?? this.zones.get(`*${name.slice(name.indexOf('.'))}`);
  }
}

interface EncodableRecord {
  readonly name: string;
  readonly type: DnsRecordType;
  readonly value: string;
}

function nameAt(message: Buffer, start: number): { name: string; end: number } {
  const labels: string[] = [];
  let at = start;
  for (let length = message[at]!; length > 0; length = message[at]!) {
    labels.push(message.subarray(at + 1, at + 1 + length).toString('latin1'));
    at += 1 + length;
  }
  // Resolvers may mix the case to make answers harder to forge.
  return { name: labels.join('.').toLowerCase(), end: at + 1 };
}

function encoded({ name, type, value }: EncodableRecord): Buffer {
  const data = dataOf(type, value);
  const rest = Buffer.alloc(10);
  rest.writeUInt16BE(TYPES[type], 0);
  rest.writeUInt16BE(1, 2);
  rest.writeUInt32BE(0, 4);
  rest.writeUInt16BE(data.length, 8);
  return Buffer.concat([encodedName(name), rest, data]);
}

function dataOf(type: DnsRecordType, value: string): Buffer {
  switch (type) {
    case 'A':
      return Buffer.from(value.split('.').map(Number));
    case 'AAAA':
      return ipv6Bytes(value);
    case 'CNAME':
      return encodedName(value);
    case 'TXT':
      return Buffer.concat(
        (value.match(/[^]{1,255}/g) ?? ['']).map((part) =>
          Buffer.concat([Buffer.of(part.length), Buffer.from(part, 'latin1')]),
        ),
      );
  }
}

function encodedName(name: string): Buffer {
  const labels = name.split('.').map((label) => Buffer.concat([Buffer.of(label.length), Buffer.from(label, 'latin1')]));
  return Buffer.concat([...labels, Buffer.of(0)]);
}

function ipv6Bytes(address: string): Buffer {
  if (!isIPv6(address)) throw new Error(`${address} is not an IPv6 address.`);
  const [head = '', tail] = address.split('::');
  const parts = (text: string): number[] =>
    text === '' ? [] : text.split(':').map((part) => Number.parseInt(part, 16));
  const [before, after] = [parts(head), parts(tail ?? '')];
  const groups = [...before, ...new Array<number>(8 - before.length - after.length).fill(0), ...after];
  const bytes = Buffer.alloc(16);
  groups.forEach((group, index) => bytes.writeUInt16BE(group, index * 2));
  return bytes;
}
