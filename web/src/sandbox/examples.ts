import type { Language } from '@service/client';

/** What stands in the editor before anything is typed. */
export const EXAMPLES: Readonly<Record<Language, string>> = {
  typescript:
    "const stars = ['Sirius', 'Vega', 'Rigel'];\n\nfor (const [index, star] of stars.entries()) {\n  console.log(`${index + 1}. ${star}`);\n}\n",
  javascript: "console.log(Object.groupBy([1, 2, 3, 4], (number) => (number % 2 ? 'odd' : 'even')));\n",
  python: 'print([number ** 2 for number in range(10)])\n',
};
