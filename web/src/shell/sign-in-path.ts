import { PATHS } from '../paths';

/** The sign-in that leads back to where one is. */
export function signInPath(): string {
  const here = location.pathname + location.search + location.hash;
  return here.startsWith(`${PATHS.home}/`) ? `${PATHS.signIn}?next=${encodeURIComponent(here)}` : PATHS.signIn;
}
