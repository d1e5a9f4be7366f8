import type { ServerResponse } from 'node:http';

const LONG = Symbol('its body may take long');
type Carrier = ServerResponse & { [LONG]?: true };

/**
 * The body of this request may take longer than others are given; whoever answers it sees to it that it does not take
 * for ever.
 */
export function letTakeLong(response: ServerResponse): void {
  (response as Carrier)[LONG] = true;
}

export const mayTakeLong = (response: ServerResponse): boolean => (response as Carrier)[LONG] === true;
