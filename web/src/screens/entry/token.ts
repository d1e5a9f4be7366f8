import { useState } from 'react';

/** The token of a mailed link stands behind the `#`, which no server sees. It leaves the address at once. */
export function useLinkToken(): string | undefined {
  const [token] = useState(() => new URLSearchParams(location.hash.slice(1)).get('token') ?? undefined);
  if (token !== undefined && location.hash !== '')
    history.replaceState(history.state, '', location.pathname + location.search);
  return token;
}
