/** What a guest writes first; TypeScript's costs its transformation. */
export const HELLO = {
  javascript: "console.log('hello')",
  typescript:
    "interface Greeting { readonly text: string }\nconst greeting: Greeting = { text: 'hello' };\nconsole.log(greeting.text)",
  python: "print('hello')",
};
