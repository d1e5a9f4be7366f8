/** Further options are ignored. */
const MAX_OPTIONS = 16;
const SIZE_DIGITS = 4;

/**
 * Watches the beginning of a push on its way to git: commands, and then options if the client announced them. What it
 * cannot read is left to git to refuse.
 */
export class PushRequest {
  private buffered: Buffer = Buffer.alloc(0);
  private section: 'commands' | 'options' | 'over' = 'commands';
  private isFirst = true;
  private announcesOptions = false;
  private readonly found: string[] = [];

  /** The options of the push, as far as they were read. */
  get options(): readonly string[] {
    return this.found;
  }

  readonly see = (chunk: Buffer): void => {
    if (this.section === 'over') return;
    this.buffered = Buffer.concat([this.buffered, chunk]);
    this.read();
  };

  private read(): void {
    let at = 0;
    // The section ends within the loop.
    while ((this.section as string) !== 'over' && this.buffered.length - at >= SIZE_DIGITS) {
      const digits = this.buffered.toString('latin1', at, at + SIZE_DIGITS);
      const size = /^[0-9a-f]{4}$/i.test(digits) ? Number.parseInt(digits, 16) : -1;
      if (size === 0) {
        this.section = this.section === 'commands' && this.announcesOptions ? 'options' : 'over';
        at += SIZE_DIGITS;
      } else if (size < SIZE_DIGITS) {
        this.section = 'over';
      } else {
        if (this.buffered.length - at < size) break;
        this.take(this.buffered.toString('utf8', at + SIZE_DIGITS, at + size).replace(/\n$/, ''));
        at += size;
      }
    }
    if ((this.section as string) === 'over') this.end();
    else this.buffered = this.buffered.subarray(at);
  }

  private take(text: string): void {
    if (this.section === 'options') {
      if (this.found.length < MAX_OPTIONS) this.found.push(text);
    } else if (this.isFirst) {
      // The first command is followed by what the client can do.
      this.announcesOptions = /(?:^| )push-options(?: |$)/.test(text.split('\0')[1] ?? '');
    }
    this.isFirst = false;
  }

  private end(): void {
    this.section = 'over';
    this.buffered = Buffer.alloc(0);
  }
}
