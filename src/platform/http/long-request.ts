import type { ServerResponse } from 'node:http';

const LONG = Symbol('its body may take long');
type Carrier = ServerResponse & { [LONG]?: true };

/** Exempts the request from the time limit for bodies. The handler must then set a limit of its own. */
export function letTakeLong(response: ServerResponse): void {
  (response as Carrier)[LONG] = true;
}

export const mayTakeLong = (response: ServerResponse): boolean => (response as Carrier)[LONG] === true;
