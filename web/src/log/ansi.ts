export interface Piece {
  readonly text: string;
  readonly look: string;
}

const LOOKS: Readonly<Record<string, string>> = {
  1: 'font-semibold',
  2: 'text-muted',
  31: 'text-bad',
  32: 'text-good',
  33: 'text-warn',
  34: 'text-accent-ink',
  35: 'text-accent-ink',
  36: 'text-accent-ink',
  90: 'text-muted',
  91: 'text-bad',
  92: 'text-good',
  93: 'text-warn',
  94: 'text-accent-ink',
  95: 'text-accent-ink',
  96: 'text-accent-ink',
};
/** The codes that end bold and faint, and a colour. */
const ENDS: Readonly<Record<string, (look: string) => boolean>> = {
  22: (look) => look === 'font-semibold' || look === 'text-muted',
  39: (look) => look.startsWith('text-'),
};
/** A sequence of a terminal: colours, all others of the same form, and titles of windows. */
const SEQUENCE = /\u001b(?:\[([\d;?]*)([A-Za-z])|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?)/g;

/** Colours of a terminal become classes; all other sequences are left out. There is no HTML in between. */
export function piecesOf(line: string): Piece[] {
  const pieces: Piece[] = [];
  const looks = new Set<string>();
  let from = 0;
  const add = (to: number): void => {
    if (to > from) pieces.push({ text: line.slice(from, to), look: [...looks].join(' ') });
  };
  for (const match of line.matchAll(SEQUENCE)) {
    add(match.index);
    from = match.index + match[0].length;
    if (match[2] === 'm') for (const code of match[1]!.split(';')) apply(code, looks);
  }
  add(line.length);
  return pieces;
}

function apply(code: string, looks: Set<string>): void {
  const ends = ENDS[code];
  const look = LOOKS[code];
  if (code === '' || code === '0') looks.clear();
  else if (ends !== undefined) for (const each of [...looks].filter(ends)) looks.delete(each);
  else if (look !== undefined) {
    // A colour replaces the one before.
    if (look.startsWith('text-')) for (const each of [...looks].filter(ENDS['39']!)) looks.delete(each);
    looks.add(look);
  }
}
