import { spawn } from 'node:child_process';

type Opener = (url: string) => readonly [program: string, ...args: string[]];

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, Opener>>> = {
  darwin: (url) => ['open', url],
  linux: (url) => ['xdg-open', url],
  // The shell of Windows takes an ampersand as the end of the command.
  win32: (url) => ['cmd', '/c', 'start', '""', url.replaceAll('&', '^&')],
};

/**
 * Opens an address with the program in `BROWSER`, or else that of the system. Without a browser nothing happens, so the
 * address is also printed. Only http and https addresses are opened.
 */
export function openInBrowser(url: string, browser: string | undefined): void {
  const opener = browser === undefined ? OPENERS[process.platform] : (): [string, string] => [browser, url];
  if (opener === undefined || !/^https?:\/\//.test(url)) return;
  const [program, ...args] = opener(url);
  const child = spawn(program, args, { stdio: 'ignore', detached: true, windowsVerbatimArguments: true });
  child.on('error', () => undefined);
  child.unref();
}
