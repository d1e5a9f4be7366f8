export interface DiffLine {
  readonly kind: 'same' | 'added' | 'removed';
  readonly text: string;
}

/** The lines of both texts with the longest common part kept. Removed lines stand before the added ones. */
export function lineDiff(before: readonly string[], after: readonly string[]): DiffLine[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let end = 0;
  while (end < before.length - start && end < after.length - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  const same = (text: string): DiffLine => ({ kind: 'same', text });
  return [
    ...before.slice(0, start).map(same),
    ...middle(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...before.slice(before.length - end).map(same),
  ];
}

function middle(before: readonly string[], after: readonly string[]): DiffLine[] {
  const width = after.length + 1;
  // How many lines the rests from here on have in common.
  const common = new Uint32Array((before.length + 1) * width);
  for (let row = before.length - 1; row >= 0; row--)
    for (let at = after.length - 1; at >= 0; at--)
      common[row * width + at] =
        before[row] === after[at]
          ? common[(row + 1) * width + at + 1]! + 1
          : Math.max(common[(row + 1) * width + at]!, common[row * width + at + 1]!);
  const lines: DiffLine[] = [];
  for (let row = 0, at = 0; row < before.length || at < after.length;) {
    if (row < before.length && at < after.length && before[row] === after[at]) {
      lines.push({ kind: 'same', text: before[row++]! });
      at++;
    } else if (
      row < before.length &&
      (at === after.length || common[(row + 1) * width + at]! >= common[row * width + at + 1]!)
    )
      lines.push({ kind: 'removed', text: before[row++]! });
    else lines.push({ kind: 'added', text: after[at++]! });
  }
  return lines;
}

const AROUND = 3;

/** Hides long parts without a change. Null stands for lines that are left out. */
export function folded(lines: readonly DiffLine[]): (DiffLine | null)[] {
  const isNear = lines.map((_, at) =>
    lines.slice(Math.max(0, at - AROUND), at + AROUND + 1).some(({ kind }) => kind !== 'same'),
  );
  return lines.flatMap((line, at) => (isNear[at] ? [line] : at === 0 || isNear[at - 1] ? [null] : []));
}
