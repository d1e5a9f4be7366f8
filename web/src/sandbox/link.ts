import type { Language } from '@service/client';

export const LANGUAGES: readonly Language[] = ['typescript', 'javascript', 'python'];
/** Longer programs run, but make no link: some programs cut long addresses. */
const LONGEST_SHARED = 20_000;

interface SharedProgram {
  readonly language: Language;
  readonly code: string;
}

/** The fragment that holds a program, which no server sees; undefined where the program is too long for a link. */
export async function fragmentOf({ language, code }: SharedProgram): Promise<string | undefined> {
  return code.length > LONGEST_SHARED ? undefined : `#${language}/${await packed(code)}`;
}

/** Returns undefined when the fragment holds no program, or a damaged one. */
export async function programIn(fragment: string): Promise<SharedProgram | undefined> {
  const [name = '', text = ''] = fragment.slice(1).split('/', 2);
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
