import { setImmediate as nextTurn } from 'node:timers/promises';

/** Longer patterns are searched by this prefix and then compared, which bounds the memory for each pattern. */
const LONGEST_PREFIX = 128;
/** The number of steps between two yields to the event loop. */
const STEPS_AT_ONCE = 50_000;

const ROOT = 0;

export interface Range {
  readonly start: number;
  readonly end: number;
}

/**
 * Finds many byte strings at once (Aho and Corasick, 1975). It passes over the text once, however many patterns there
 * are and however similar they are. If only a part of a longer pattern occurs, it counts as found from 128 bytes.
 */
export class PatternSet {
  private size = 1;
  private readonly parent: Int32Array;
  private readonly byte: Uint8Array;
  private readonly depth: Uint8Array;
  /** The node to continue from when the next byte has no child: the longest proper suffix that is in the tree. */
  private readonly fallback: Int32Array;
  /** The length of the longest pattern that ends at the node, or 0. */
  private readonly longest: Uint8Array;
  /** The sorted remainders of longer patterns after their prefix. */
  private readonly tails = new Map<number, Buffer[]>();
  /** A hash table with open addressing. The key is the node and the byte, plus 1, and the target is the child. */
  private readonly keys: Int32Array;
  private readonly targets: Int32Array;

  private constructor(nodes: number) {
    const slots = 2 ** Math.ceil(Math.log2(nodes * 2));
    this.parent = new Int32Array(nodes);
    this.byte = new Uint8Array(nodes);
    this.depth = new Uint8Array(nodes);
    this.fallback = new Int32Array(nodes);
    this.longest = new Uint8Array(nodes);
    this.keys = new Int32Array(slots);
    this.targets = new Int32Array(slots);
  }

  static async of(patterns: readonly Buffer[]): Promise<PatternSet> {
    const set = new PatternSet(1 + patterns.reduce((sum, { length }) => sum + Math.min(length, LONGEST_PREFIX), 0));
    let steps = 0;
    for (const pattern of patterns) {
      set.add(pattern);
      steps += LONGEST_PREFIX;
      if (steps % STEPS_AT_ONCE < LONGEST_PREFIX) await nextTurn();
    }
    for (const tails of set.tails.values()) tails.sort((one, other) => Buffer.compare(one, other));
    await set.link();
    return set;
  }

  /** The ranges of a text that belong to a pattern, in order. Ranges that overlap are merged. */
  coveredBy(text: Buffer): Range[] {
    const found: { start: number; end: number }[] = [];
    let node = ROOT;
    for (let at = 0; at < text.length; at++) {
      node = this.step(node, text[at]!);
      const length = this.longest[node]!;
      if (length > 0) cover(found, at + 1 - length, at + 1);
      const tails = this.tails.get(node);
      if (tails === undefined) continue;
      const end = at + 1 + commonLength(text.subarray(at + 1), tails);
      cover(found, at + 1 - LONGEST_PREFIX, end);
      // Everything up to `end` is covered. A step for each of its bytes would compare the same tails again and again.
      if (end - at > 2 * LONGEST_PREFIX) {
        node = ROOT;
        at = end - LONGEST_PREFIX - 1;
      }
    }
    return found;
  }

  private add(pattern: Buffer): void {
    const length = Math.min(pattern.length, LONGEST_PREFIX);
    let node = ROOT;
    for (let at = 0; at < length; at++) node = this.child(node, pattern[at]!) || this.grow(node, pattern[at]!);
    if (pattern.length <= LONGEST_PREFIX) {
      this.longest[node] = length;
      return;
    }
    const tails = this.tails.get(node);
    if (tails === undefined) this.tails.set(node, [pattern.subarray(length)]);
    else tails.push(pattern.subarray(length));
  }

  private grow(parent: number, byte: number): number {
    const node = this.size++;
    this.parent[node] = parent;
    this.byte[node] = byte;
    this.depth[node] = this.depth[parent]! + 1;
    const slot = this.slotOf(parent, byte);
    this.keys[slot] = parent * 256 + byte + 1;
    this.targets[slot] = node;
    return node;
  }

  /** Links nodes by increasing depth, because a fallback is always shorter than its node. */
  private async link(): Promise<void> {
    const order = this.byDepth();
    for (let index = 0; index < order.length; index++) {
      const node = order[index]!;
      if (this.depth[node]! > 1) this.fallback[node] = this.step(this.fallback[this.parent[node]!]!, this.byte[node]!);
      this.longest[node] ||= this.longest[this.fallback[node]!]!;
      if (index % STEPS_AT_ONCE === 0) await nextTurn();
    }
  }

  private byDepth(): Int32Array {
    const starts = new Int32Array(LONGEST_PREFIX + 2);
    for (let node = 0; node < this.size; node++) starts[this.depth[node]! + 1]!++;
    for (let depth = 1; depth < starts.length; depth++) starts[depth]! += starts[depth - 1]!;
    const order = new Int32Array(this.size);
    for (let node = 0; node < this.size; node++) order[starts[this.depth[node]!]!++] = node;
    return order;
  }

  private step(from: number, byte: number): number {
    for (let node = from; ; node = this.fallback[node]!) {
      const next = this.child(node, byte);
      if (next !== ROOT || node === ROOT) return next;
    }
  }

  /** Returns the root, which is never a child, when there is no such child. */
  private child(node: number, byte: number): number {
    return this.targets[this.slotOf(node, byte)]!;
  }

  private slotOf(node: number, byte: number): number {
    const key = node * 256 + byte + 1;
    const mask = this.keys.length - 1;
    let slot = (Math.imul(key, 0x9e3779b1) >>> 0) & mask;
    while (this.keys[slot] !== 0 && this.keys[slot] !== key) slot = (slot + 1) & mask;
    return slot;
  }
}

/** Ranges arrive in the order of their ends. A range that overlaps earlier ones is merged with them. */
function cover(found: { start: number; end: number }[], start: number, end: number): void {
  let from = start;
  let to = end;
  for (let last = found.at(-1); last !== undefined && last.end > from; last = found.at(-1)) {
    from = Math.min(from, last.start);
    to = Math.max(to, last.end);
    found.pop();
  }
  found.push({ start: from, end: to });
}

/** The longest prefix that the text shares with one of the sorted strings, a neighbour of its own place among them. */
function commonLength(text: Buffer, sorted: readonly Buffer[]): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (Buffer.compare(sorted[middle]!, text) < 0) low = middle + 1;
    else high = middle;
  }
  return Math.max(...[sorted[low - 1], sorted[low]].map((each) => (each === undefined ? 0 : commonPrefix(text, each))));
}

function commonPrefix(one: Buffer, other: Buffer): number {
  const length = Math.min(one.length, other.length);
  let at = 0;
  while (at < length && one[at] === other[at]) at++;
  return at;
}
