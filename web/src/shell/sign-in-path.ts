import { PATHS } from '../paths';

/** The sign-in that leads back to where one is. */
export function signInPath(): string {
  const here = location.pathname + location.search + location.hash;
  return here.startsWith(`${PATHS.home}/`) ? `${PATHS.signIn}?next=${encodeURIComponent(here)}` : PATHS.signIn;
}

/** Where to go after signing in. Only addresses of the app count, so that a link cannot lead elsewhere. */
export function nextPath(search: string): string {
  const next = new URLSearchParams(search).get('next') ?? '';
  // A browser reads a backslash as a slash, and drops line breaks and tabs.
  return /^\/app\/[^\\\s]*$/.test(next) ? next : PATHS.home;
}
