const CLOSING: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

/** Brackets that are open. */
export class Brackets {
  private readonly open: string[] = [];
  /** One has closed another than the last: no more lines make that right. */
  isWrong = false;

  get areOpen(): boolean {
    return this.open.length > 0;
  }

  /** Takes a sign of code, if it is a bracket. */
  take(sign: string): void {
    const closing = CLOSING[sign];
    if (closing !== undefined) this.open.push(closing);
    else if (sign === ')' || sign === ']' || sign === '}') this.isWrong ||= this.open.pop() !== sign;
  }
}
