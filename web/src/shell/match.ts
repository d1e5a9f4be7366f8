/** The letters in their order, with others between. */
export function isMatch(name: string, text: string): boolean {
  const inside = name.toLowerCase();
  let from = 0;
  for (const letter of text.toLowerCase().replaceAll(' ', '')) {
    from = inside.indexOf(letter, from) + 1;
    if (from === 0) return false;
  }
  return true;
}
