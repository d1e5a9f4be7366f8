import { RequestInvalid } from '../../../platform/errors/request-invalid.js';

/** A sign-in may not return to the place that was asked for. */
export class ReturnPlaceRefused extends RequestInvalid {
  /** @param places where it may return to. */
  constructor(places: string) {
    super([{ path: 'return_to', in: 'body', code: 'is_return_place', message: `return_to must be ${places}.` }]);
  }
}
