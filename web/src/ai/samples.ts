import type { ChatCompletionRequest } from '@service/client';

export const SAMPLES = ['curl', 'Python', 'JavaScript'] as const;
export type Sample = (typeof SAMPLES)[number];

/** A program that makes a call, for a terminal or with a library of OpenAI. The key comes from the environment. */
export function sampleOf(sample: Sample, baseUrl: string, request: ChatCompletionRequest): string {
  switch (sample) {
    case 'curl':
      return [
        `curl ${baseUrl}/chat/completions \\`,
        '  -H "Authorization: Bearer $SERVICE_API_KEY" \\',
        "  -H 'Content-Type: application/json' \\",
        `  -d ${inShell(JSON.stringify(request, undefined, 2))}`,
      ].join('\n');
    case 'Python':
      return [
        'import os',
        'from openai import OpenAI',
        '',
        `client = OpenAI(base_url=${JSON.stringify(baseUrl)}, api_key=os.environ["SERVICE_API_KEY"])`,
        'answer = client.chat.completions.create(',
        ...Object.entries(request).map(([name, value]) => `    ${name}=${indented(value, 4)},`),
        ')',
        'print(answer.choices[0].message.content)',
      ].join('\n');
    case 'JavaScript':
      return [
        "import OpenAI from 'openai';",
        '',
        `const client = new OpenAI({ baseURL: ${JSON.stringify(baseUrl)}, apiKey: process.env.SERVICE_API_KEY });`,
        'const answer = await client.chat.completions.create({',
        ...Object.entries(request).map(([name, value]) => `  ${name}: ${indented(value, 2)},`),
        '});',
        'console.log(answer.choices[0].message.content);',
      ].join('\n');
  }
}

/** JSON of texts, numbers and lists is also Python and JavaScript. */
const indented = (value: unknown, spaces: number): string =>
  JSON.stringify(value, undefined, spaces).replaceAll('\n', `\n${' '.repeat(spaces)}`);

const inShell = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
