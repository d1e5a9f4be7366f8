import type { Language } from '@service/client';

const BRACKETS: Readonly<Record<string, number>> = { '(': 1, '[': 1, '{': 1, ')': -1, ']': -1, '}': -1 };

/**
 * True when more lines belong to what was typed so far. An empty line always ends it. Quotes are not looked at, so a
 * bracket in a text may ask for one line more.
 */
export function goesOn(typed: string, language: Language): boolean {
  const lines = typed.split('\n');
  if (lines.at(-1)!.trim() === '') return false;
  const depth = (typed.match(/[()[\]{}]/g) ?? []).reduce((sum, bracket) => sum + BRACKETS[bracket]!, 0);
  if (depth > 0 || typed.endsWith('\\')) return true;
  if (language !== 'python') return false;
  return /:\s*(#.*)?$/.test(lines.at(-1)!) || (lines.length > 1 && /^\s/.test(lines.at(-1)!)) || /^@/.test(typed);
}
