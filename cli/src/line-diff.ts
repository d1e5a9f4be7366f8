/** Beyond this many lines, all lines of one text are shown as replaced by all of the other. */
const MAX_LINES = 3_000;
const CONTEXT = 2;

export interface DiffLine {
  readonly sign: ' ' | '-' | '+';
  readonly text: string;
}

/** Returns the lines that differ between two texts, with a few equal lines around them. */
export function diffOf(before: string, after: string): DiffLine[] {
  const lines = allLinesOf(before.split('\n'), after.split('\n'));
  const near = lines.map((_, index) =>
    lines.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1).some(({ sign }) => sign !== ' '),
  );
  return lines.filter((_, index) => near[index]);
}

function allLinesOf(before: readonly string[], after: readonly string[]): DiffLine[] {
  if (before.length > MAX_LINES || after.length > MAX_LINES) return [...removed(before), ...added(after)];
  const common = commonLengths(before, after);
  const lines: DiffLine[] = [];
  let [left, right] = [0, 0];
  while (left < before.length && right < after.length) {
    if (before[left] === after[right]) {
      lines.push({ sign: ' ', text: before[left]! });
      left++;
      right++;
    } else if (common[left + 1]![right]! >= common[left]![right + 1]!) lines.push({ sign: '-', text: before[left++]! });
    else lines.push({ sign: '+', text: after[right++]! });
  }
  return [...lines, ...removed(before.slice(left)), ...added(after.slice(right))];
}

/** The length of the longest common subsequence of what follows each pair of lines. */
function commonLengths(before: readonly string[], after: readonly string[]): Uint16Array[] {
  const rows = Array.from({ length: before.length + 1 }, () => new Uint16Array(after.length + 1));
  for (let left = before.length - 1; left >= 0; left--)
    for (let right = after.length - 1; right >= 0; right--)
      rows[left]![right] =
        before[left] === after[right]
          ? rows[left + 1]![right + 1]! + 1
          : Math.max(rows[left + 1]![right]!, rows[left]![right + 1]!);
  return rows;
}

const removed = (lines: readonly string[]): DiffLine[] => lines.map((text) => ({ sign: '-', text }));
const added = (lines: readonly string[]): DiffLine[] => lines.map((text) => ({ sign: '+', text }));
