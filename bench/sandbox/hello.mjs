/** The smallest program of each language. TypeScript includes its transformation. */
export const HELLO = {
  javascript: "console.log('hello')",
  typescript:
    'interface Greeting { readonly text: string }\n' +
    "const greeting: Greeting = { text: 'hello' };\nconsole.log(greeting.text)",
  python: "print('hello')",
};
