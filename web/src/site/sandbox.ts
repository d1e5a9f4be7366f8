import { Service, ServiceError } from '@service/client';

type Language = 'typescript' | 'javascript' | 'python';

const EXAMPLES: Readonly<Record<Language, string>> = {
  typescript:
    "const stars = ['Sirius', 'Vega', 'Rigel'];\n\nfor (const [index, star] of stars.entries()) {\n  console.log(`${index + 1}. ${star}`);\n}\n",
  javascript: "console.log(Object.groupBy([1, 2, 3, 4], (number) => (number % 2 ? 'odd' : 'even')));\n",
  python: 'print([number ** 2 for number in range(10)])\n',
};
const LANGUAGES = Object.keys(EXAMPLES) as Language[];
/** Longer programs run, but make no link: some programs cut long addresses. */
const LONGEST_SHARED = 20_000;

const at = (id: string): HTMLElement => document.getElementById(id)!;

/** Lets the landing page run code. A program that is shared is in the fragment of the address, which no server sees. */
export function openSandbox(): void {
  const code = at('code') as HTMLTextAreaElement;
  const language = at('language') as HTMLSelectElement;
  const output = at('output');
  const facts = at('facts');
  const run = at('run') as HTMLButtonElement;
  const share = at('share') as HTMLButtonElement;
  const service = new Service({ baseUrl: location.origin, anonymous: true });

  const start = async (): Promise<void> => {
    run.disabled = true;
    output.textContent = 'Running…';
    facts.textContent = '';
    try {
      const { data: execution } = await service.sandbox.try({ language: language.value as Language, code: code.value });
      output.textContent = `${execution.stdout}${execution.stderr}` || 'It printed nothing.';
      const left = service.lastBudget?.remaining;
      facts.textContent = `${execution.status} in ${Math.round(execution.duration_ms)} ms${left == null ? '' : `; calls left today: ${left}`}`;
    } catch (error) {
      output.textContent =
        error instanceof ServiceError
          ? [error.message, error.hint].filter(Boolean).join('\n')
          : 'The service was not reached. Try again.';
    } finally {
      run.disabled = false;
    }
  };

  run.disabled = false;
  share.hidden = false;
  run.addEventListener('click', () => void start());
  code.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void start();
  });
  language.addEventListener('change', () => {
    if (Object.values(EXAMPLES).includes(code.value)) code.value = EXAMPLES[language.value as Language];
  });
  share.addEventListener('click', () => {
    void copyLink(language.value as Language, code.value).then((said) => {
      facts.textContent = said;
    });
  });
  const restore = (): void => {
    void shared().then((found) => {
      if (found === undefined) return;
      language.value = found.language;
      code.value = found.code;
    });
  };
  addEventListener('hashchange', restore);
  restore();
}

async function copyLink(language: Language, code: string): Promise<string> {
  if (code.length > LONGEST_SHARED) return 'The program is too long for a link.';
  history.replaceState(null, '', `#${language}/${await packed(code)}`);
  try {
    await navigator.clipboard.writeText(location.href);
    return 'Link copied.';
  } catch {
    return 'The link is in the address bar.';
  }
}

/** Returns undefined when the address holds no program, or a damaged one. */
async function shared(): Promise<{ language: Language; code: string } | undefined> {
  const [name = '', text = ''] = location.hash.slice(1).split('/', 2);
  const language = LANGUAGES.find((each) => each === name);
  if (language === undefined) return undefined;
  try {
    return { language, code: (await unpacked(text)).slice(0, LONGEST_SHARED) };
  } catch {
    return undefined;
  }
}

async function packed(text: string): Promise<string> {
  const bytes = await through(new TextEncoder().encode(text), new CompressionStream('deflate-raw'));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');
}

async function unpacked(text: string): Promise<string> {
  const bytes = Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0));
  return new TextDecoder().decode(await through(bytes, new DecompressionStream('deflate-raw')));
}

async function through(
  bytes: Uint8Array<ArrayBuffer>,
  stream: CompressionStream | DecompressionStream,
): Promise<Uint8Array> {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}
