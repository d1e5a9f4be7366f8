/** A ClientHello with post-quantum key shares and a session ticket has 2 to 6 KiB; RFC 8446 would allow 16 MiB. */
const LONGEST_HELLO = 16 * 1024;
/** Every record around a fragment takes five more bytes. A client that sends one byte per record is hostile. */
const MOST_RECORDS = 64;
const LONGEST_RECORD = 16 * 1024;

const HANDSHAKE = 22;
const CLIENT_HELLO = 1;
const SERVER_NAME = 0;
const HOST_NAME = 0;
/**
 * Either of these extensions encrypts the real name: Encrypted Client Hello (RFC 9849) and the ESNI drafts before it.
 */
const ENCRYPTED_NAMES = [0xfe0d, 0xffce];
const NAME = /^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63}){0,126}$/;

export type HelloProblem = 'not_tls' | 'no_server_name' | 'encrypted_name' | 'malformed' | 'too_long';

export type HelloVerdict =
  | { readonly state: 'incomplete' }
  | { readonly state: 'named'; readonly serverName: string }
  | { readonly state: 'refused'; readonly problem: HelloProblem };

const INCOMPLETE: HelloVerdict = { state: 'incomplete' };

/**
 * Reads the server name from the first bytes that a TLS client sends, however they are split into chunks and records.
 * The input is hostile: the reader never throws, keeps at most a few kilobytes, and looks at each byte a fixed number
 * of times.
 */
export class ClientHelloReader {
  private readonly header = Buffer.alloc(5);
  private headerLength = 0;
  private recordLeft = 0;
  private records = 0;
  private readonly message = Buffer.alloc(LONGEST_HELLO);
  private messageLength = 0;
  private verdict: HelloVerdict = INCOMPLETE;

  /** The verdict no longer changes once it is not `incomplete`. */
  push(chunk: Buffer): HelloVerdict {
    for (let at = 0; at < chunk.length && this.verdict.state === 'incomplete';) {
      at += this.recordLeft === 0 ? this.takeHeader(chunk, at) : this.takeFragment(chunk, at);
    }
    return this.verdict;
  }

  private takeHeader(chunk: Buffer, at: number): number {
    const taken = chunk.copy(this.header, this.headerLength, at, at + this.header.length - this.headerLength);
    this.headerLength += taken;
    const [type, major] = this.header;
    if (type !== HANDSHAKE || (this.headerLength > 1 && major !== 3))
      return this.refuse(this.records === 0 ? 'not_tls' : 'malformed');
    if (this.headerLength < this.header.length) return taken;
    this.headerLength = 0;
    this.recordLeft = this.header.readUInt16BE(3);
    this.records += 1;
    if (this.recordLeft === 0 || this.recordLeft > LONGEST_RECORD) return this.refuse('malformed');
    if (this.records > MOST_RECORDS) return this.refuse('too_long');
    return taken;
  }

  private takeFragment(chunk: Buffer, at: number): number {
    const offered = Math.min(this.recordLeft, chunk.length - at);
    const taken = chunk.copy(this.message, this.messageLength, at, at + offered);
    if (taken < offered) return this.refuse('too_long');
    this.messageLength += taken;
    this.recordLeft -= taken;
    this.look();
    return taken;
  }

  private look(): void {
    if (this.message[0] !== CLIENT_HELLO) return void this.refuse('malformed');
    if (this.messageLength < 4) return;
    const length = 4 + this.message.readUIntBE(1, 3);
    if (length > LONGEST_HELLO) return void this.refuse('too_long');
    // Nothing may follow a ClientHello in its record, so a longer record hides something.
    if (this.messageLength > length || (this.messageLength === length && this.recordLeft > 0))
      return void this.refuse('malformed');
    if (this.messageLength === length) this.verdict = serverNameIn(new Fields(this.message.subarray(4, length)));
  }

  private refuse(problem: HelloProblem): number {
    this.verdict = { state: 'refused', problem };
    return 0;
  }
}

function serverNameIn(hello: Fields): HelloVerdict {
  hello.skip(2 + 32);
  hello.vector(1);
  hello.vector(2);
  hello.vector(1);
  const extensions = hello.vector(2);
  if (!hello.isDone) return { state: 'refused', problem: 'malformed' };
  let serverName: string | null = null;
  const seen = new Set<number>();
  while (!extensions.isDone && !extensions.isBroken) {
    const type = extensions.number(2);
    const content = extensions.vector(2);
    if (ENCRYPTED_NAMES.includes(type)) return { state: 'refused', problem: 'encrypted_name' };
    if (seen.has(type)) return { state: 'refused', problem: 'malformed' };
    seen.add(type);
    if (type === SERVER_NAME) serverName = onlyNameIn(content);
  }
  if (extensions.isBroken || serverName === '') return { state: 'refused', problem: 'malformed' };
  return serverName === null ? { state: 'refused', problem: 'no_server_name' } : { state: 'named', serverName };
}

/** Returns an empty string unless the list holds exactly one well-formed name. */
function onlyNameIn(content: Fields): string {
  const list = content.vector(2);
  const type = list.number(1);
  const name = list.vector(2).text().toLowerCase();
  return content.isDone && list.isDone && type === HOST_NAME && name.length <= 253 && NAME.test(name) ? name : '';
}

/** A cursor that breaks, instead of throwing, when more is requested than is left. */
class Fields {
  private at = 0;
  isBroken = false;

  constructor(private readonly bytes: Buffer) {}

  get isDone(): boolean {
    return !this.isBroken && this.at === this.bytes.length;
  }

  skip(length: number): void {
    this.take(length);
  }

  number(size: 1 | 2): number {
    const bytes = this.take(size);
    return bytes.length === 0 ? 0 : bytes.readUIntBE(0, size);
  }

  /** Reads a field whose length is given by the `size` bytes before it. */
  vector(size: 1 | 2): Fields {
    const fields = new Fields(this.take(this.number(size)));
    fields.isBroken = this.isBroken;
    return fields;
  }

  text(): string {
    return this.bytes.toString('latin1');
  }

  private take(length: number): Buffer {
    if (this.isBroken || this.at + length > this.bytes.length) {
      this.isBroken = true;
      return Buffer.alloc(0);
    }
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }
}
