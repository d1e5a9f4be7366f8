/** The caller disconnected before it was answered. No response is sent for this error. */
export class CallerHungUp extends Error {
  constructor() {
    super('The caller disconnected.');
  }
}
