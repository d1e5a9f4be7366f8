import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const PAGE = readFileSync(join(__dirname, '../../docs/operations/upgrade.md'), 'utf8');

/** How long a process takes to end, as the page says. */
export const ENDS_WITHIN_MS = Number(/wait for its end \(at most (\d+) s\)/.exec(PAGE)![1]) * 1_000;

/** The commands of the page of upgrades below `<!-- test: name -->`, each as its words. */
export function commandsOf(name: string): string[][] {
  const [, line] = new RegExp(`<!-- test: ${name} -->\\s+\`\`\`sh\\n\\s*(.*)\\n`).exec(PAGE)!;
  return line!
    .replace(/\s+#.*$/, '')
    .split(' && ')
    .map((command) => command.split(' '));
}
