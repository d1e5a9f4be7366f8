/** The tokens that tell series apart, and how strong they are when there are more series than tokens. */
const COLOURS = ['--accent-ink', '--good', '--warn', '--bad', '--muted'] as const;

export function lookOf(index: number): { readonly colour: string; readonly strength: number } {
  return { colour: COLOURS[index % COLOURS.length]!, strength: index < COLOURS.length ? 1 : 0.45 };
}
